import * as v from 'valibot';
import type { RequestContext } from '../../../lib/contract/request/request-context.ts';
import { JobCreate } from '../../../lib/contract/resources/job.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import type { GenerationResult } from '../../../lib/generation/pipeline.ts';
import { createStoredInputs } from '../../../lib/inputs/stored-inputs.ts';
import type { InputVerifier } from '../../../lib/inputs/verify-inputs.ts';
import { createAcceptJob, createRetryJob, createSubmitJob } from '../../../lib/jobs/accept-job.ts';
import { createCancelJob } from '../../../lib/jobs/cancel-job.ts';
import { createJobLists } from '../../../lib/jobs/job-lists.ts';
import { createJobNotices, createPublishingStore } from '../../../lib/jobs/job-notices.ts';
import { createJobQueue } from '../../../lib/jobs/job-queue.ts';
import type { JobStore } from '../../../lib/jobs/job-store-port.ts';
import { createJobStreams } from '../../../lib/jobs/job-streams.ts';
import { createJobWorker } from '../../../lib/jobs/job-worker.ts';
import { createJobs } from '../../../lib/jobs/jobs.ts';
import { createLiveJobs } from '../../../lib/jobs/live-jobs.ts';
import { createQueueControl } from '../../../lib/jobs/queue-control.ts';
import { createRemovedTokens } from '../../../lib/jobs/removed-tokens.ts';
import { createTraceLog } from '../../../lib/log/trace-log.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import { createImageRuns, createRecentDurations } from '../../../lib/runs/image-run.ts';
import { IN_MEMORY } from '../../../lib/storage/sqlite/connection.ts';
import { openStateDatabase } from '../../../lib/storage/sqlite/database.ts';
import { createJobStore } from '../../../lib/storage/sqlite/jobs/job-store.ts';
import { createQueueStore } from '../../../lib/storage/sqlite/jobs/queue-store.ts';
import { createLedgerStore } from '../../../lib/storage/sqlite/ledger-store.ts';
import { createUsageStore } from '../../../lib/storage/sqlite/usage-store.ts';
import { createUsage } from '../../../lib/usage/usage.ts';
import { createWebhookTargets } from '../../../lib/webhooks/webhook-targets.ts';
import { startWorkerLoop, type WorkerLoop } from '../../../local-runtime/server/worker-loop.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { requestContext } from '../../support/request-context.ts';
import { slices } from '../../support/slices.ts';
import { createScriptedGeneration, type ScriptedRun } from './scripted-generation.ts';

export const SCOPE = 'anonymous';

/** The settings of webhooks, without a default webhook. */
const WEBHOOKS = { enabled: true, default_url: undefined, allowed_hosts: ['hooks.test'] };

export const forever = new AbortController().signal;

export type JobRig = ReturnType<typeof openJobRig>;

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

/** Opens all parts of jobs with a real store. Only the pipeline, the images and the time are scripted. */
export function openJobRig(limits: { max_pending?: number } = {}) {
  const clock = createManualClock();
  const ids = createIds(clock.nowMs);
  const database = openStateDatabase({ file: IN_MEMORY, ids });
  const notices = createJobNotices();
  const refusing = createRefusingStore(createJobStore(database));
  const { refuse, precede } = refusing;
  const store = createPublishingStore(refusing.store, notices);
  const { generation, runs, behavior } = createScriptedGeneration();
  const kept = new Set<string>();
  const inputs = createStoredInputs({ files: filesIn(kept), isNeeded: store.needsInput });
  const discarded: string[] = [];
  const publisher = {
    async discard(publications: GenerationResult['publications']) {
      discarded.push(...publications.map(({ record }) => record.id));
    },
  };
  const lines: string[] = [];
  const log = createTraceLog((line) => lines.push(line));
  const added: number[] = [];
  const removed: number[] = [];
  const found = { sequences: [] as number[], more: false };
  const search = {
    added: (jobs: number) => void added.push(jobs),
    removed: (sequences: readonly number[]) => void removed.push(...sequences),
    find: async () => found,
  };
  const live = createLiveJobs(clock, notices);
  const queueStore = createQueueStore(database);
  const cancelJob = createCancelJob({ store, live, clock });
  const removedIds: string[] = [];
  const tokenNames = new Map<string, string>();
  const removedTokens = createRemovedTokens({
    store: queueStore,
    cancelJob,
    removed: () => removedIds,
  });
  const beforeClaim = removedTokens.endJobs;
  const queue = createJobQueue({ store, live, canPublish: () => true, beforeClaim, log, clock });
  const shared = { store, search, live, clock, secret: database.secret };
  const usage = createUsage({
    store: createUsageStore(database),
    ledger: createLedgerStore(database),
    clock,
    ids,
    log,
  });
  const durations = createRecentDurations();
  const worker = createJobWorker({
    store,
    usage,
    live,
    runs: createImageRuns({ generation, publisher, log, durations }),
    publisher,
    log,
    clock,
    ids,
  });
  const acceptJob = createAcceptJob({ ...shared, queue, generation, verifier, inputs, usage, ids });
  const { max_pending: maxPending = 100 } = limits;
  const admitted = {
    store,
    acceptJob,
    usage,
    webhooks: createWebhookTargets(WEBHOOKS),
    secret: database.secret,
    limits: { maxPending, maxDatabaseBytes: 1e9, isShared: true },
  };
  const submitJob = createSubmitJob({ ...admitted, maxInputBytes: 1_000_000, slices });
  const retryJob = createRetryJob(admitted);
  const jobs = createJobs({ ...shared, submitJob, retryJob, cancelJob });
  const loops: WorkerLoop[] = [];

  return {
    clock,
    database,
    store,
    refuse,
    precede,
    runs,
    behavior,
    kept,
    discarded,
    lines,
    live,
    queue,
    worker,
    jobs,
    durations,
    added,
    removed,
    found,
    search,
    ids,
    removedIds,
    tokenNames,
    removedTokens,
    jobQueue: createQueueControl({
      ...shared,
      store: queueStore,
      queue,
      cancelJob,
      tokens: { nameOf: (id) => tokenNames.get(id) },
    }),
    jobLists: createJobLists(shared),
    notices,
    jobStreams: createJobStreams({ ...shared, notices }),

    usage,

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
      const loop = startWorkerLoop({ ...queue, ...worker, over: live.over }, maxRunning);
      loops.push(loop);
      return loop;
    },

    async close(): Promise<void> {
      await Promise.all(loops.map((loop) => loop.drain(AbortSignal.abort())));
      await database.close();
    },
  };
}

/** Wraps a store so that a test can make the next calls of a method fail or wait. */
function createRefusingStore(real: JobStore) {
  type Step = () => Promise<unknown>;
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
    claim: (...given) => prepare('claim').then(() => real.claim(...given)),
    settle: (...given) => prepare('settle').then(() => real.settle(...given)),
    prune: (...given) => prepare('prune').then(() => real.prune(...given)),
  };
  return {
    store,
    refuse: (method: keyof typeof before, ...errors: readonly Error[]) =>
      void before[method].push(...errors.map((error) => () => Promise.reject(error))),
    /** Runs `step` just before the next call of the method, in the same turn of the event loop. */
    precede: (method: keyof typeof before, step: Step) =>
      void before[method].push(async () => void step()),
  };
}

function filesIn(kept: Set<string>) {
  return {
    put: async (sha256: string) => void kept.add(sha256),
    remove: async (sha256: string) => void kept.delete(sha256),
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
