import type { AppArtifacts } from './app-artifacts.ts';
import type { Config } from './config/settings/settings.ts';
import type { Generation } from './generation/generation.ts';
import { createStoredInputs } from './inputs/stored-inputs.ts';
import type { InputVerifier } from './inputs/verify-inputs.ts';
import { createJobAcceptance } from './jobs/accept-job.ts';
import { createAsyncImages } from './jobs/async-images.ts';
import { createArtifactCrops } from './jobs/crop-artifact.ts';
import { createImageMarks } from './jobs/image-marks.ts';
import { createJobBatches } from './jobs/job-batches.ts';
import { createCancelJob } from './jobs/job-end.ts';
import { createJobFamilies } from './jobs/job-family.ts';
import { createJobHistory } from './jobs/job-history.ts';
import { createJobInputs } from './jobs/job-inputs.ts';
import { createJobLists } from './jobs/job-lists.ts';
import { createFindParents } from './jobs/job-parents.ts';
import { createJobRetention } from './jobs/job-retention.ts';
import { createJobStreams } from './jobs/job-streams.ts';
import { createJobTakeover } from './jobs/job-takeover.ts';
import { createJobWaits } from './jobs/job-waits.ts';
import { createJobQueue, createJobWorker } from './jobs/job-worker.ts';
import { createJobs, type Jobs } from './jobs/jobs.ts';
import { createLiveJobs } from './jobs/live-jobs.ts';
import { createQueueControl } from './jobs/queue-control.ts';
import { createRemovedTokens } from './jobs/removed-tokens.ts';
import type { TraceLog } from './log/trace-log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Clock } from './platform/clock.ts';
import type { Ids } from './platform/ids.ts';
import type { TimeSlices } from './platform/time-slices.ts';
import type { Replay } from './replay/replay.ts';
import type { ImageRuns, RecentDurations } from './runs/image-run.ts';
import type { Stores } from './storage/open-stores.ts';
import { type NamedTokens, NO_TOKENS } from './tokens/token.ts';
import type { Usage } from './usage/usage.ts';
import {
  createPostWebhook,
  createWebhookDeliveries,
  type PostWebhook,
} from './webhooks/webhook-deliveries.ts';
import type { WebhookStore } from './webhooks/webhook-store-port.ts';
import { createWebhookTargets } from './webhooks/webhook-targets.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: TraceLog;
  readonly metrics: Metrics;
  readonly webhookKeys: readonly Uint8Array[] | undefined;
  readonly tokens?: NamedTokens;
  readonly postWebhook?: PostWebhook;
}

interface JobParts {
  readonly stores: Stores;
  readonly generation: Generation;
  readonly runs: ImageRuns;
  readonly inputs: InputVerifier;
  readonly slices: TimeSlices;
  readonly usage: Usage;
  readonly replay: Replay;
  readonly artifacts: Pick<AppArtifacts, 'images' | 'publisher' | 'delivery' | 'isHealthy'>;
  readonly durations: RecentDurations;
}

export type AppJobs = ReturnType<typeof openJobs>;

/** Builds the objects for jobs: the services, the worker and the retention of the history. */
export function openJobs(config: Config, outside: Outside, parts: JobParts) {
  const { clock, ids, log, tokens = NO_TOKENS } = outside;
  const { stores, generation, runs, usage, replay, artifacts } = parts;
  const { jobs: store, notices, progress, search, secret, storedInputs: files } = stores;
  const live = createLiveJobs(progress);
  const waits = createJobWaits({ store, notices, clock });
  const limits = config.server.jobs;
  const inputs = createStoredInputs({ files, isNeeded: store.needsInput, clock });
  const { cancelJob, stopCancelled } = createCancelJob({ store, notices, live, clock });
  const removedTokens = createRemovedTokens({ ...tokens, store: stores.queue, cancelJob });
  const queues = openQueues(limits, {
    ...{ store, notices, live, log, clock },
    canPublish: artifacts.isHealthy,
    beforeClaim: removedTokens.endJobs,
  });
  const shared = { store, notices, progress, waits, search, clock, secret };
  const acceptance = createJobAcceptance({
    ...{ store, generation, inputs, usage, replay, clock, ids, slices: parts.slices },
    verifier: parts.inputs,
    findParents: createFindParents({ store, artifacts: stores.artifacts }),
    webhooks: createWebhookTargets(config.server.webhooks),
    limits: {
      maxPending: limits.max_pending,
      maxDatabaseBytes: limits.max_database_bytes,
      isShared: config.server.tokens_file !== undefined,
    },
    maxInputBytes: config.inputs.max_bytes_each,
  });
  const changing = { ...shared, batches: stores.batches, cancelJob, acceptance, tokens, ids };
  const jobs = createJobs(changing);
  const jobQueue = createQueueControl({ ...changing, store: stores.queue, config });
  const { publisher } = artifacts;
  const worker = createJobWorker({
    ...{ store, ...queues, live, runs, usage, publisher, log, clock, ids },
  });
  const deliveries = openDeliveries(config, outside, stores, jobs);
  notices.subscribe(({ type }) => {
    if (type === 'ended') deliveries?.wake();
  });
  const retention = createJobRetention({ store, inputs, clock, limits });

  const { takeOver, serveResumed } = createJobTakeover({
    ...{ store, live, publisher, usage, stopCancelled, log, clock },
    run: worker.resume,
  });

  return {
    services: {
      jobs,
      jobQueue,
      jobLists: createJobLists(shared),
      jobHistory: createJobHistory({ ...shared, history: stores.history }),
      imageMarks: createImageMarks(shared),
      artifactCrops: createArtifactCrops({ artifacts: stores.artifacts, jobs }),
      jobBatches: createJobBatches(changing),
      jobFamilies: createJobFamilies(shared),
      jobInputs: createJobInputs({ store, files: stores.storedInputs, images: artifacts.images }),
      jobStreams: createJobStreams({ ...shared, queue: jobQueue }),
    },
    /** Undefined if jobs are disabled. */
    replyAsync: limits.enabled
      ? createAsyncImages({ ...parts, jobs, artifacts: artifacts.delivery })
      : undefined,
    worker: { ...worker, serveResumed, over: waits.over },
    tasks: [retention.sweep, removedTokens.task, ...(deliveries ? [deliveries.task] : [])],
    isHealthy: retention.isHealthy,
    state: { totals: store.totals, active: live.size },
    /** Takes over the jobs that ended processes left running. A call that may have been sent is never sent again. */
    takeOver,
    /** Takes over at the start of the process, and warns of webhooks that no process sends. */
    recover: async (): Promise<void> => {
      await takeOver();
      if (!deliveries) await warnOfWaiting(stores.webhooks, log);
    },
  };
}

/** Opens the queue of all jobs, and the queue of the jobs that the bridge makes without a model. */
function openQueues(
  { max_running_total: maxRunning }: Config['server']['jobs'],
  deps: Omit<Parameters<typeof createJobQueue>[0], 'claimLimits'>,
) {
  return {
    queue: createJobQueue({
      ...deps,
      claimLimits: maxRunning === 'unlimited' ? {} : { maxRunning },
    }),
    ownQueue: createJobQueue({ ...deps, claimLimits: { isOwnWork: true } }),
  };
}

async function warnOfWaiting(
  webhooks: Pick<WebhookStore, 'countPending'>,
  log: Pick<TraceLog, 'webhooksWaiting'>,
): Promise<void> {
  const waiting = await webhooks.countPending();
  if (waiting > 0) log.webhooksWaiting(waiting);
}

function openDeliveries(
  { server: { webhooks: settings } }: Config,
  { webhookKeys: keys, ...outside }: Outside,
  { webhooks: store, permits }: Pick<Stores, 'webhooks' | 'permits'>,
  jobs: Jobs,
) {
  if (!keys) return undefined;
  const post = outside.postWebhook ?? createPostWebhook({ settings, clock: outside.clock });
  return createWebhookDeliveries({ ...outside, store, permits, jobs, post, settings, keys });
}
