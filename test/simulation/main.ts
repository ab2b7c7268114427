import { parseArgs } from 'node:util';
import { openSimulation, type RunReport, type Simulation } from './run-schedule.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import { hashOf } from './services.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    events: { type: 'string', default: '100000' },
    replicas: { type: 'string', default: '1' },
    round: { type: 'string' },
    only: { type: 'string' },
  },
});

const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const replicas = Number(values.replicas);

/** Returns the schedule of a round. Each round begins with an empty bridge. */
function scheduleOf(round: number): Schedule {
  return createSchedule(hashOf(seed, round), { replicas });
}

function commandOf(round: number, { actions }: Schedule): string {
  const names = actions.map(({ name }) => name).join();
  const of = replicas === 1 ? '' : `--replicas ${replicas} `;
  return `npm run simulate -- ${of}--seed ${seed} --round ${round} --only ${names}`;
}

async function explain(simulation: Simulation, round: number, violation: string): Promise<void> {
  const shortest = await shrink(simulation, scheduleOf(round), violation);
  console.log('\nthe shortest schedule found:');
  for (const action of shortest.actions) console.log(JSON.stringify(action));
  const { violations } = await simulation.run(shortest);
  console.log(violations.join('\n'));
  console.log(`\nto replay: ${commandOf(round, shortest)}`);
}

async function replay(simulation: Simulation, round: number): Promise<boolean> {
  const schedule = scheduleOf(round);
  const names = values.only?.split(',');
  const actions = schedule.actions.filter(({ name }) => names?.includes(name) ?? true);
  const report = await simulation.run({ ...schedule, actions }, { keepsStory: true });
  console.log(report.story.join('\n'));
  print(round, report);
  return report.violations.length === 0;
}

function print(
  round: number,
  { events, passedMs, lives, sold, beyondBudget, trace, violations }: RunReport,
): void {
  const hours = (passedMs / 3_600_000).toFixed(1);
  console.log(
    `round ${round}: ${events} events, ${hours} hours, ${lives} processes, ${sold} images sold, ${beyondBudget.requests} requests and ${beyondBudget.jobs} jobs beyond a budget, trace ${trace.slice(0, 16)}`,
  );
  for (const violation of violations) console.log(`  ${violation}`);
}

async function runRounds(simulation: Simulation): Promise<boolean> {
  const startMs = performance.now();
  let events = 0;
  for (let round = 0; events < Number(values.events); round += 1) {
    const report = await simulation.run(scheduleOf(round));
    events += report.events;
    print(round, report);
    const [violation] = report.violations;
    if (violation !== undefined) {
      await explain(simulation, round, violation);
      return false;
    }
  }
  const perSecond = Math.round((events / (performance.now() - startMs)) * 1000);
  console.log(`seed ${seed}: ${events} events, ${perSecond} events per second, no violation`);
  return true;
}

const simulation = await openSimulation();
const isClean =
  values.round === undefined
    ? await runRounds(simulation)
    : await replay(simulation, Number(values.round));
await simulation.close();
process.exitCode = isClean ? 0 : 1;
