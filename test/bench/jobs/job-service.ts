import { join } from 'node:path';
import { type App, createApp } from '../../../lib/app.ts';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { createEventRing } from '../../../lib/diagnostics/event-ring.ts';
import type { NewJob } from '../../../lib/jobs/job-store-port.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { silentMetrics } from '../../../lib/metrics/metrics.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { anything } from '../../lib/generation/capability-documents.ts';
import { wireRequestOf } from '../../lib/generation/requests.ts';
import { newJob } from '../../support/jobs.ts';
import { requestContext } from '../../support/request-context.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import type { Bench, Row } from '../measure/bench.ts';
import { inMs, median, percentile, perSecond, withRange } from '../measure/statistics.ts';
import { CALLERS, JOBS_A_ROUND, prepareAlone } from './job-creates.ts';

const STARTS = 200;

const forever = new AbortController().signal;
const request = wireRequestOf({
  prompt: 'a lighthouse at dusk',
  output: { response_format: 'artifact' },
});

/** The cost of a job except its images: until it is accepted, and from its claim until its provider is called. */
export const jobService: Bench = {
  name: 'job-service',
  async run({ rounds, folder }) {
    let calledMs = 0;
    const app = await openService(folder, () => {
      calledMs = performance.now();
    });
    const ids = createIds(systemClock.nowMs);
    const other = openStateDatabase({ file: join(folder, 'theirs.sqlite'), ids });
    const starts = await timeStarts(app, () => calledMs);
    const { job } = await submit(app);
    // Both sides write the same rows, because the size of rows and the order of ids have a cost.
    const toRow = () => newJob({ id: ids.newUuid(), request: job.request });
    const rates = await timeCreates(app, { createAlone: prepareAlone(other), toRow }, rounds);
    await app.close();
    await other.close();
    return [rowOfCreates(rates), rowOfStarts(starts)];
  },
};

async function openService(folder: string, onCall: () => void): Promise<App> {
  const loaded = await loadConfig({
    env: {},
    cwd: folder,
    set: [
      'server.jobs.max_pending=10000000',
      `server.jobs.max_database_bytes=${1e12}`,
      `state.directory=${folder}`,
      `artifacts.root=${join(folder, 'artifacts')}`,
    ],
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const clock = systemClock;
  const provider = createScriptedProvider({
    name: 'agent-responses',
    capabilities: anything,
    reply(call) {
      onCall();
      call.fail(new Error('no image is made here'));
    },
  });
  return createApp(loaded.config, {
    clock,
    ids: createIds(clock.nowMs),
    metrics: silentMetrics,
    env: {},
    webhookKeys: undefined,
    tasks: [],
    events: createEventRing({ clock }),
    log: createTraceLog(() => {}),
    facts: {
      version: '0.0.0',
      listener: { scope: 'loopback', port: 0 },
      authenticationRequired: false,
      origins: [],
    },
    openProviders: () => ({ providers: [provider], close: async () => {} }),
  });
}

function submit({ services }: App) {
  return services.jobs.submit(request, requestContext({ operationId: 'createJob' }));
}

/** Measures the time from the claim of a waiting job by a worker until its provider is called. */
async function timeStarts(app: App, calledMs: () => number): Promise<readonly number[]> {
  const durations: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    await submit(app);
    const startMs = performance.now();
    await app.worker.runNext(forever);
    durations.push(calledMs() - startMs);
  }
  return durations;
}

interface Alone {
  readonly createAlone: ReturnType<typeof prepareAlone>;
  readonly toRow: () => NewJob;
}

async function timeCreates(app: App, { createAlone, toRow }: Alone, rounds: number) {
  const sides = {
    ours: () => submitTogether(app),
    theirs: async () => createAlone(Array.from({ length: JOBS_A_ROUND }, toRow)),
  };
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const);
    for (const side of order) {
      const startMs = performance.now();
      await sides[side]();
      const rate = JOBS_A_ROUND / ((performance.now() - startMs) / 1000);
      // The first round is a warm-up.
      if (round >= 0) rates[side].push(rate);
    }
  }
  return rates;
}

async function submitTogether(app: App): Promise<void> {
  let left = JOBS_A_ROUND;
  const caller = async () => {
    while (left-- > 0) await submit(app);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function rowOfCreates({ ours, theirs }: Awaited<ReturnType<typeof timeCreates>>): Row {
  return {
    what: `jobs accepted durably, ${CALLERS} callers of the service`,
    ours: perSecond(median(ours)),
    against: `the driver alone, ${CALLERS} in a transaction`,
    theirs: perSecond(median(theirs)),
    ratio: withRange(ours.map((rate, round) => rate / (theirs[round] ?? 0))),
    budget: '≥ 0.7',
  };
}

function rowOfStarts(durations: readonly number[]): Row {
  return {
    what: 'from the claim of a job to the call of its provider, median and p99',
    ours: `${inMs(median(durations))} / ${inMs(percentile(durations, 0.99))}`,
    budget: '< 5 ms',
  };
}
