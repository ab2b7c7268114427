// npm run bench:dashboard -- [--path /dashboard/system] [--jobs N] [--rounds N]: measures the waiting times of a user
// with a CPU slowed down four times, compared with a page of one heading in the same minute. Prints figures and asserts
// nothing.
import { parseArgs } from 'node:util';
import { withRange } from '../../bench/measure/statistics.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { closePages } from '../support/open-page.ts';
import { serveBarePage } from './bare-page.ts';
import { loadPage } from './load-page.ts';
import { makeJobs } from './make-jobs.ts';

const { values } = parseArgs({
  options: {
    path: { type: 'string', default: '/dashboard' },
    jobs: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '7' },
  },
});

type Load = Awaited<ReturnType<typeof loadPage>>;

const bridge = await startDashboard();
const bare = await serveBarePage();
await makeJobs(bridge.address, Number(values.jobs));
const loads: Load[] = [];
const floors: Load[] = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  loads.push(await loadPage(bridge.address, values.path));
  floors.push(await loadPage(bare.address, '/'));
  for (const problem of await closePages()) console.error(problem);
}
await closeBrowser();
await cleanUp();
bare.close();

console.log(
  `${values.path} with ${values.jobs} jobs, CPU slowed 4 times, ${values.rounds} first visits; median (range)\n`,
);
console.log('| | limit | dashboard | bare page |\n|---|---|---|---|');
row('first paint, s', '1', ({ firstPaintMs }) => firstPaintMs / 1000);
row('interactive, s', '1.5', ({ interactiveMs }) => interactiveMs / 1000);
row('longest task, s', '', ({ longestTaskMs }) => longestTaskMs / 1000);
row('main thread until settled, s of CPU', '', ({ cpuMs }) => cpuMs / 1000);
row('page, code and style, KB', '90', ({ codeBytes }) => codeBytes / 1000);
row('heap, MB', '', ({ heap }) => heap / 1e6);

function row(name: string, limit: string, figure: (load: Load) => number): void {
  console.log(
    `| ${name} | ${limit} | ${withRange(loads.map(figure))} | ${withRange(floors.map(figure))} |`,
  );
}
