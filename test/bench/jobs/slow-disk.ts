import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Tools } from '../measure/bench.ts';
import type { ServerProcess } from '../measure/server-process.ts';
import { median, p50AndP99, percentile, perSecond, withRange } from '../measure/statistics.ts';

const SHIM = fileURLToPath(new URL('../../../../test/support/slow-fsync.c', import.meta.url));
const CLIENTS = 16;
const SLOWER_MS = 10;
const FOR_MS = 2000;
const BODY = JSON.stringify({
  prompt: 'a lighthouse at dusk',
  output: { response_format: 'artifact' },
});
const SETTINGS = [
  'server.jobs.max_pending=10000000',
  'server.jobs.max_database_bytes=1000000000000',
  'server.jobs.max_running=4',
  'providers.sandbox.latency_ms=600000',
];

/**
 * Measures job creates while four jobs run and each sync of the disk takes 10 ms longer, and the delay of a reply that needs no
 * disk.
 */
export const slowDisk: Bench = {
  name: 'slow-disk',
  async run(tools) {
    const { folder } = tools;
    const library = join(folder, 'slow-fsync.so');
    try {
      execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SHIM, '-ldl'], {
        stdio: 'ignore',
      });
    } catch {
      // Without a compiler there is nothing to measure.
      return [];
    }
    const bodyFile = join(folder, 'request.json');
    await writeFile(bodyFile, BODY);
    const options = { command: 'quickstart', folder, settings: SETTINGS } as const;
    const fast = await tools.startProgram(options);
    const slow = await tools.startProgram({ ...options, env: { LD_PRELOAD: library } });
    const rates: { readonly fast: number; readonly slow: number }[] = [];
    const live = { idle: [] as number[], loaded: [] as number[], fast: [] as number[] };
    for (let round = 0; round < tools.rounds; round += 1) {
      live.idle.push(
        ...(await probing(slow, new Promise((resolve) => setTimeout(resolve, FOR_MS)))),
      );
      const creatingFast = createRate(tools, fast, bodyFile);
      live.fast.push(...(await probing(fast, creatingFast)));
      const creating = createRate(tools, slow, bodyFile);
      live.loaded.push(...(await probing(slow, creating)));
      rates.push({ fast: await creatingFast, slow: await creating });
    }
    await Promise.all([fast.stop(), slow.stop()]);
    const limits = rates.map(({ fast: rate }) => CLIENTS / (SLOWER_MS / 1000 + CLIENTS / rate));
    const meanwhile = (against: string, theirs: readonly number[], budget: string) => ({
      what: '`GET /health/live` meanwhile',
      ours: p50AndP99(live.loaded),
      against,
      theirs: p50AndP99(theirs),
      ratio: `p99 + ${(percentile(live.loaded, 0.99) - percentile(theirs, 0.99)).toFixed(1)} ms`,
      budget,
    });
    return [
      {
        what: `\`POST /v1/jobs\`, ${CLIENTS} connections, four jobs running, each sync ${SLOWER_MS} ms slower`,
        ours: perSecond(median(rates.map(({ slow: rate }) => rate))),
        against: `a create of each connection in each commit: their time without the delay, and ${SLOWER_MS} ms`,
        theirs: perSecond(median(limits)),
        ratio: withRange(rates.map(({ slow: rate }, round) => rate / (limits[round] ?? 0))),
        budget: '≥ 0.7',
      },
      meanwhile('the same without creates', live.idle, 'p99 + 2 ms'),
      // Both sides need the same cores for the creates, so only the disk makes a difference.
      meanwhile('the same creates without the delay', live.fast, 'reported'),
    ];
  },
};

async function createRate({ load }: Tools, { port }: ServerProcess, bodyFile: string) {
  const requests = [{ method: 'POST', path: '/v1/jobs', bodyFile } as const];
  const done = await load({ port, requests, connections: CLIENTS, forMs: FOR_MS });
  return done.completed / (done.elapsedMs / 1000);
}

/** Requests `/health/live` repeatedly until `work` ends. Resolves with the durations in milliseconds. */
async function probing({ port }: ServerProcess, work: Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver) {
    const startMs = performance.now();
    await (await fetch(`http://127.0.0.1:${port}/health/live`)).text();
    durations.push(performance.now() - startMs);
  }
  return durations;
}
