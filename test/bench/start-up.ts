import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { INITIALIZE } from '../support/mcp-initialize.ts';
import type { Bench } from './measure/bench.ts';
import { residentMb, settling } from './measure/process-use.ts';
import {
  kill,
  PROGRAM,
  runNode,
  type Started,
  spawnProgram,
  untilItListens,
} from './measure/program.ts';
import { inMs, median, withRange } from './measure/statistics.ts';

const DIST = fileURLToPath(new URL('../../', import.meta.url));
const STARTS = 3;
const PRINT = "console.log('listens on http://nothing:0');";
// Imports in the form that the compiler writes: one statement, at the beginning of a line.
const STATIC_IMPORT = /^(?:import|export)\s(?:[\w\s$,{}*]*\sfrom\s)?['"]([^'"]+)['"];$/gm;

type Times = readonly number[];

/**
 * The time from `spawn` to the line with the address, against Node that prints such a line at once; and the other ways to
 * start.
 */
export const startUp: Bench = {
  name: 'start-up',
  async run({ rounds, folder }) {
    const imports = packagesOf(['local-runtime/main.js', 'local-runtime/cli/commands/serve.js'])
      .map((name) => `import ${JSON.stringify(name)};`)
      .join('');
    const times = {
      ours: [] as number[],
      bare: [] as number[],
      importing: [] as number[],
      help: [] as number[],
      tools: [] as number[],
      nothing: [] as number[],
    };
    const resident: number[] = [];
    for (let round = 0; round < rounds * STARTS; round += 1) {
      const program = await spawnProgram({ command: 'quickstart', folder });
      await refuseUnready(program);
      times.ours.push(program.ms);
      if (round < rounds) resident.push(await idleMemory(program));
      await kill(program.child);
      times.bare.push(await timeOf(['--input-type=module', '-e', PRINT]));
      times.importing.push(await timeOf(['--input-type=module', '-e', `${imports}${PRINT}`]));
      times.help.push(await runNode([PROGRAM, 'generate', '--help']));
      times.tools.push(await toolListTime(folder));
      times.nothing.push(await runNode(['-e', '0']));
    }
    const row = (what: string, ours: Times, against: string, theirs: Times, budget: string) => ({
      what,
      ours: inMs(median(ours)),
      against,
      theirs: inMs(median(theirs)),
      ratio: withRange(ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN))),
      budget,
    });
    const ready = 'start to ready, empty state';
    const end = '`node -e 0`';
    return [
      row(ready, times.ours, 'bare Node', times.bare, '≤ 1.8'),
      row(ready, times.ours, 'Node importing the same packages', times.importing, '≤ 1.5'),
      row('`--help` of a command', times.help, end, times.nothing, '20 ms more'),
      row('`mcp` to its first list of tools', times.tools, end, times.nothing, '≤ 1.6'),
      {
        what: 'resident memory, idle',
        ours: `${median(resident).toFixed(0)} MB`,
        budget: '< 120 MB',
      },
    ];
  },
};

/** Measures the time from `spawn` to the list of tools, for an agent that requests it as soon as possible. */
async function toolListTime(cwd: string): Promise<number> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(INITIALIZE);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('"tools":[')) break;
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  }
  const ms = performance.now() - startMs;
  await kill(child);
  return ms;
}

async function refuseUnready({ port }: Started): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${port}/health/ready`);
  if (status !== 200) throw new Error('it says that it listens, and is not ready');
}

async function timeOf(argv: readonly string[]): Promise<number> {
  const { child, ms } = await untilItListens(argv, DIST);
  await kill(child);
  return ms;
}

async function idleMemory({ child }: Started): Promise<number> {
  await settling();
  // The process has started, so it has an id.
  return residentMb(child.pid ?? 0);
}

/** Returns the packages that these compiled files import statically, directly or through each other. */
function packagesOf(files: readonly string[]): readonly string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      if (specifier.startsWith('.')) visit(join(file, '..', specifier));
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  };
  for (const file of files) visit(join(DIST, file));
  return [...packages];
}
