// npm run bench:dashboard -- [--path /dashboard/system] [--jobs N] [--rounds N]: what a person waits for with a CPU that is
// four times slower. It prints figures and asserts nothing.
import { parseArgs } from 'node:util';
import { withRange } from '../../bench/statistics.ts';
import { cleanUp } from '../../support/start-bridge.ts';
import { closeBrowser } from '../support/browser.ts';
import { startDashboard } from '../support/dashboard.ts';
import { closePages } from '../support/open-page.ts';
import { loadPage } from './load-page.ts';
import { makeJobs } from './make-jobs.ts';

const { values } = parseArgs({
  options: {
    path: { type: 'string', default: '/dashboard' },
    jobs: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '7' },
  },
});

const bridge = await startDashboard();
await makeJobs(bridge.address, Number(values.jobs));
const loads = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  loads.push(await loadPage(bridge.address, values.path));
  for (const problem of await closePages()) console.error(problem);
}
await closeBrowser();
await cleanUp();

const row = (name: string, limit: string, figures: readonly number[]) =>
  console.log(`| ${name} | ${limit} | ${withRange(figures)} |`);
console.log(
  `${values.path}, ${values.jobs} jobs, CPU slowed 4 times, ${values.rounds} first visits\n`,
);
console.log('| | limit | median (range) |\n|---|---|---|');
row(
  'first paint, s',
  '1',
  loads.map(({ firstPaintMs }) => firstPaintMs / 1000),
);
row(
  'interactive, s',
  '1.5',
  loads.map(({ interactiveMs }) => interactiveMs / 1000),
);
row(
  'longest task, ms',
  '',
  loads.map(({ longestTaskMs }) => longestTaskMs),
);
row(
  'transferred code and style, KB',
  '120',
  loads.map(({ codeBytes }) => codeBytes / 1000),
);
row(
  'heap, MB',
  '',
  loads.map(({ heap }) => heap / 1e6),
);
