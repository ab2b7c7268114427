import * as v from 'valibot';
import { openArtifacts } from '../../../lib/app-artifacts.ts';
import { openJobs } from '../../../lib/app-jobs.ts';
import { resolveConfig } from '../../../lib/config/resolve-config.ts';
import type { Config } from '../../../lib/config/settings/settings.ts';
import type { RequestContext } from '../../../lib/contract/request/request-context.ts';
import { JobCreate } from '../../../lib/contract/resources/job.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { GenerationResult } from '../../../lib/generation/pipeline.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import type { InputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import type { JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { silentMetrics } from '../../../lib/metrics/metrics.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createReplay } from '../../../lib/replay/replay.ts';
import { toReplayPolicies } from '../../../lib/replay/replay-policies.ts';
import { createImageRuns, createRecentDurations } from '../../../lib/runs/image-run.ts';
import { createMemoryReplayStore } from '../../../lib/storage/memory/replay-store.ts';
import { NO_TOKENS } from '../../../lib/tokens/token.ts';
import { createUsage } from '../../../lib/usage/usage.ts';
import { startWorkerLoop } from '../../../local-runtime/server/worker-loop.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { requestContext } from '../../support/request-context.ts';
import { slices } from '../../support/slices.ts';
import { openTestStores } from '../../support/stores.ts';
import { createTestNotices } from '../../support/test-notices.ts';
import { createScriptedGeneration, type ScriptedRun } from './scripted-generation.ts';

type WorkerLoop = ReturnType<typeof startWorkerLoop>;

export const SCOPE = 'anonymous';

export const forever = new AbortController().signal;

export type JobRig = Awaited<ReturnType<typeof openJobRig>>;

/** Returns the error of a store that cannot write. */
export function refusal(): BridgeError {
  return new BridgeError('overloaded', 'the state database is unavailable');
}

/** Resolves once the condition holds, which is checked at every turn of the event loop. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

type Limits = Partial<
  Pick<Config['server']['jobs'], 'max_pending' | 'max_running_total' | 'max_database_bytes'>
>;

/** Returns the default settings with shared tokens, webhooks to `hooks.test` and these limits. */
function settings({ max_pending = 100, max_running_total = 'unlimited', ...limits }: Limits) {
  const resolved = resolveConfig([]);
  if (!resolved.ok) throw new Error('the defaults are not valid');
  const { config } = resolved;
  const { jobs, webhooks } = config.server;
  const server = {
    ...config.server,
    tokens_file: '/tokens',
    jobs: { ...jobs, max_pending, max_running_total, ...limits },
    webhooks: { ...webhooks, enabled: true, allowed_hosts: ['hooks.test'] },
  };
  return { ...config, server };
}

/** Opens all parts of jobs as the app does. Only the pipeline, the images, the search and the time are scripted. */
export async function openJobRig(limits: Limits = {}) {
  const clock = createManualClock();
  const ids = createIds(clock.nowMs);
  const config = settings(limits);
  const stores = await openTestStores({ clock, ids });
  const { store, refuse, precede, afterClaim } = createRefusingStore(stores.jobs);
  const others = createTestNotices();
  const { generation, runs, behavior } = createScriptedGeneration();
  const kept = new Set<string>();
  const found = { sequences: [] as number[], more: false };
  const search = { find: async (..._given: unknown[]) => found };
  const lines: string[] = [];
  const log = createTraceLog((line) => lines.push(line));
  const removedIds: string[] = [];
  const tokenNames = new Map<string, string>();
  const outside = {
    ...{ clock, ids, log, metrics: silentMetrics, webhookKeys: undefined },
    tokens: {
      ...NO_TOKENS,
      removed: () => removedIds,
      nameOf: (id: string) => tokenNames.get(id),
    },
  };
  const engine = createImageEngine({ limits: config.images, clock, slices });
  const artifacts = openArtifacts(config, outside, { stores, engine });
  const discarded: string[] = [];
  const publisher = {
    ...artifacts.publisher,
    async discard(publications: GenerationResult['publications']) {
      discarded.push(...publications.map(({ record }) => record.id));
    },
  };
  const { tokens } = outside;
  const usage = createUsage({ ...stores, store: stores.usage, tokens, clock, ids, log });
  const durations = createRecentDurations();
  const policies = toReplayPolicies(config.runtime.idempotency);
  const replays = createMemoryReplayStore({ clock, policies });
  const replay = createReplay({ store: replays, policies, secret: stores.secret, clock, ids });
  const opened = openJobs(config, outside, {
    ...{ generation, inputs: verifier, slices, usage, durations, replay },
    stores: {
      ...{ ...stores, jobs: store, search, storedInputs: filesIn(kept) },
      notices: {
        subscribe(subscriber) {
          const ends = [stores.notices, others.port].map((it) => it.subscribe(subscriber));
          return () => ends.forEach((end) => void end());
        },
      },
    },
    runs: createImageRuns({ generation, publisher, log, durations }),
    artifacts: { ...artifacts, publisher, isHealthy: () => true },
  });
  const { services, worker, state, tasks } = opened;
  const { jobs, jobBatches, jobHistory, jobLists, jobFamilies, jobQueue, jobStreams } = services;
  const loops: WorkerLoop[] = [];

  return {
    ...{ clock, ids, stores, store: stores.jobs, state: stores.state, search, usage, durations },
    ...{ refuse, precede, afterClaim, runs, behavior, kept, discarded, lines, found },
    /** Publishes a notice that another process has sent. */
    publish: others.publish,
    ...{
      removedIds,
      tokenNames,
      jobs,
      jobBatches,
      jobHistory,
      jobLists,
      jobFamilies,
      jobQueue,
      jobStreams,
      worker,
    },

    /** The time after which an ended job is removed. */
    retentionMs: config.server.jobs.retention_secs * 1000,

    takeOver: opened.takeOver,

    /** Returns the number of jobs that run. */
    active: state.active,

    /** Runs the task of this name once. */
    async runTask(name: string): Promise<void> {
      const task = tasks.find((it) => it.name === name);
      if (!task) throw new Error(`there is no task ${name}`);
      await task.run(forever, () => {});
    },

    submit: (sent: object = {}, more: Partial<RequestContext> = {}) =>
      jobs.submit(v.parse(JobCreate, { prompt: 'a boat', ...sent }), {
        ...requestContext({ operationId: 'createJob', scope: SCOPE, requestId: 'request' }),
        ...more,
      }),

    /** Resolves with the present state of the job. */
    read: (id: string) => jobs.find(SCOPE, id, 0, forever),

    /** Waits for the end of the job, and resolves with the job. */
    async ended(id: string) {
      await until(async () => (await this.read(id)).completed !== undefined);
      return this.read(id);
    },

    /** Waits for the nth generation, counted from 0, to begin. */
    async run(nth: number): Promise<ScriptedRun> {
      await until(() => runs.length > nth);
      const run = runs[nth];
      if (!run) throw new Error('there is no such run');
      return run;
    },

    /** Starts the workers, which `close` ends. */
    work(maxRunning = 1): WorkerLoop {
      const loop = startWorkerLoop(worker, maxRunning);
      loops.push(loop);
      return loop;
    },

    async close(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.drain(AbortSignal.abort())));
      await engine.close();
      await stores.close();
    },
  };
}

/** Wraps a store so that a test can make the next calls of a method fail or wait. */
function createRefusingStore(real: JobStore) {
  type Step = () => Promise<unknown>;
  const afterClaims: (() => void)[] = [];
  const before = {
    claim: [] as Step[],
    settle: [] as Step[],
    prune: [] as Step[],
  };

  async function prepare(method: keyof typeof before): Promise<void> {
    await before[method].shift()?.();
  }

  const store: JobStore = {
    ...real,
    async claim(...given) {
      await prepare('claim');
      const job = await real.claim(...given);
      afterClaims.shift()?.();
      return job;
    },
    settle: (...given) => prepare('settle').then(() => real.settle(...given)),
    prune: (...given) => prepare('prune').then(() => real.prune(...given)),
  };
  return {
    store,
    refuse: (method: keyof typeof before, ...errors: readonly Error[]) =>
      void before[method].push(...errors.map((error) => () => Promise.reject(error))),
    /** Runs `step` just before the next call of the method, which waits for `step`. */
    precede: (method: keyof typeof before, step: Step) =>
      void before[method].push(async () => void (await step())),
    /** Runs `step` after the next claim, before the claimed job begins. */
    afterClaim: (step: () => void) => void afterClaims.push(step),
  };
}

function filesIn(kept: Set<string>) {
  return {
    isShared: false,
    put: async (sha256: string) => void kept.add(sha256),
    async remove(sha256: string, isNeeded: () => Promise<boolean>) {
      if (!(await isNeeded())) kept.delete(sha256);
    },
    read: async () => undefined,
    readWhole: async () => undefined,
    stamp: async () => undefined,
    async *list() {
      yield [...kept];
    },
  };
}

/** Accepts every inline image. */
const verifier: InputVerifier = {
  async verify({ images, references }) {
    const toImage = () => ({
      bytes: Buffer.from('image'),
      sha256: 'ab'.repeat(32),
      format: 'png' as const,
      width: 1,
      height: 1,
      alpha: 'none' as const,
      orientation: 1,
    });
    return { images: images.map(toImage), references: references.map(toImage) };
  },
};
