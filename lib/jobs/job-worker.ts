import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import { toStoredError } from '../errors/error-body.ts';
import { interruption, isInterruption } from '../errors/interruption.ts';
import type { EarlierWork } from '../generation/earlier-work-port.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import { createLedger, type Ledger } from '../generation/ledger/ledger.ts';
import type { GenerationResult } from '../generation/pipeline.ts';
import { toStoredSources } from '../inputs/to-input-sources.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { abortable } from '../platform/abortable.ts';
import { type Clock, nowSecs, sleep } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ImageRun, ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';
import { cancellation, endOf, toArtifactResult } from './job-end.ts';
import type { JobNotices } from './job-notices-port.ts';
import type { ClaimLimits, JobEnd, JobRecord, JobStore, ResumedJob } from './job-store-port.ts';
import type { LiveJob, LiveJobs } from './live-jobs.ts';

interface Deps extends EndDeps {
  readonly queue: Pick<JobQueue, 'next'>;
  /** The queued jobs that the bridge runs without a model. They are also in `queue`. */
  readonly ownQueue: Pick<JobQueue, 'next'>;
  readonly live: LiveJobs;
  readonly runs: ImageRuns;
  readonly usage: Pick<Usage, 'accountOfJob'>;
  readonly publisher: { discard(publications: readonly Publication[]): Promise<void> };
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newSpanId'>;
}

type Publication = GenerationResult['publications'][number];

/** Runs each claimed job once, and stores the end of the job. */
export function createJobWorker(deps: Deps) {
  const { queue, ownQueue, live, runs, publisher, ids } = deps;
  const ending = new AbortController();
  const ends = createJobEnds(deps, ending.signal);

  function newRun(running: RunningJob, here: LiveJob): ImageRun<void> {
    const { job, ledger, publications, earlier } = running;
    const context = {
      requestId: job.requestId,
      scope: job.scope,
      trace: { traceId: ids.newOpaqueId(), spanId: ids.newSpanId() },
      // The base URL is empty, because the result of a job identifies artifacts by id and contains no URL.
      baseUrl: '',
      waitsWhenFull: true,
      noMoreCalls: here.noMoreCalls,
      ledger,
      outputs: publications.outputs,
      earlier,
    };
    const request = toGenerationRequest(job.request, toStoredSources(job.request));
    return runs.newRun(request, context, {
      commit: (made, signal) => ends.succeed(running, made, signal),
      toFailure: (thrown) => toFailure(thrown, here.signal),
      keepsPublications: true,
    });
  }

  /** Resolves when the end of the job is durable, or when the job is left to another process. Never rejects. */
  async function run(job: JobRecord, earlier?: EarlierWork): Promise<void> {
    const here = live.begin(job);
    const publications = trackPublications(job, earlier, here.noteFinished);
    const ledger = createLedger(deps.usage.accountOfJob(job), job.request.parameters.n, earlier);
    const running = { job, ledger, publications, earlier };
    try {
      const imageRun = newRun(running, here);
      const generation = imageRun.start(here.signal);
      void showEvents(generation, here);
      // After the work has ended, unread events are discarded.
      const made = await generation.result.finally(generation.ignoreEvents);
      publications.add(made.publications);
      const { aborted, reason } = here.signal;
      // If the generation is complete when the bridge stops, the job succeeds. A cancelled job keeps complete images as its
      // partial result.
      if (aborted && !isInterruption(reason)) throw await imageRun.discard(made, reason);
      await imageRun.commit(made, here.signal);
    } catch (thrown) {
      // The job stays `running` in the store, with its tickets and its publications, and the next process takes the job over.
      if (isInterruption(here.signal.reason) && ledger.canContinue()) return;
      const end = await ends.fail(running, toBridgeError(thrown));
      // The publications are discarded only after the end is stored. Until the end is stored, the next start of the bridge may
      // use them as a partial result. If a file cannot be removed now, the next start removes the file.
      const isKept = end === 'not_stored' || (end === 'stored' && publications.ids().length > 0);
      const files = isKept ? [] : publications.all();
      if (files.length > 0) await publisher.discard(files).catch(() => {});
    } finally {
      here.end();
    }
  }

  return {
    /**
     * Waits for a job and runs the job. Resolves when the end of the job is durable, or when the job is left to another process.
     * Throws the reason of the signal if the signal aborts before a job is claimed.
     */
    runNext: async (signal: AbortSignal): Promise<void> => run(await queue.next(signal)),

    /** Runs a job like `runNext`, but only a job that the bridge runs without a model. */
    runNextOwn: async (signal: AbortSignal): Promise<void> => run(await ownQueue.next(signal)),

    /** Continues a job that an ended process has left. Resolves as `runNext` does. */
    resume: ({ job, earlier }: ResumedJob): Promise<void> => run(job, earlier),

    /**
     * Interrupts all running jobs without waiting for the store. A job with a ticket is left to the next process. Called when the
     * grace period for a regular end is over.
     */
    interruptAll(): void {
      const reason = interruption();
      live.stopAll(reason);
      ending.abort(reason);
    },
  };
}

/**
 * Returns the error of a failed job. If the job was stopped, the error is the reason for the stop, with the facts that the
 * provider reported.
 */
function toFailure(thrown: unknown, { aborted, reason }: AbortSignal): BridgeError {
  const error = toBridgeError(thrown);
  if (!aborted) return error;
  if (isInterruption(reason)) return toBridgeError(reason);
  const known = error.code === 'cancelled' ? error : toBridgeError(reason);
  // If the provider did not stop, the error of the call already contains `provider_stopped: false`, which replaces this default.
  return known.with({ details: { provider_stopped: true, ...known.details } });
}

async function showEvents({ events }: RunningGeneration, here: LiveJob): Promise<void> {
  for await (const event of events) here.note(event);
}

/** A job that runs in this process, with its account and its publications. */
interface RunningJob {
  readonly job: JobRecord;
  readonly ledger: Ledger;
  readonly publications: ReturnType<typeof trackPublications>;
  readonly earlier: EarlierWork | undefined;
}

/**
 * Tracks the artifacts that the run of a job has published, and reports their number. The artifacts become permanent when the end
 * of the job is stored.
 */
function trackPublications(
  { sequence }: Pick<JobRecord, 'sequence'>,
  earlier: EarlierWork | undefined,
  noteFinished: LiveJob['noteFinished'],
) {
  const ofEarlier = earlier?.images.map(({ record }) => ({ record })) ?? [];
  const published = new Map<string, Publication>(ofEarlier.map((it) => [it.record.id, it]));
  let isRefused = false;
  noteFinished(published.size);

  function add(publications: readonly Publication[]): void {
    for (const publication of publications) published.set(publication.record.id, publication);
    noteFinished(published.size);
  }

  return {
    /** The `outputs` of the run's context. */
    outputs: { job: sequence, onPublished: (publication: Publication) => add([publication]) },
    add,
    all: () => [...published.values()],
    /** Returns the ids of the artifacts that the end of the job keeps. */
    ids: () => (isRefused ? [] : [...published.keys()]),
    /** Makes `ids` return an empty list. Called when the store does not list the artifacts as pending publications of this job. */
    refuse(): void {
      isRefused = true;
    },
  };
}

interface EndDeps {
  readonly store: Pick<JobStore, 'settle'>;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
}

/**
 * The outcome of storing a failed end. `not_stored`: the process stopped first, and the next start finds the job `running`.
 * `refused`: the job can no longer end in this way.
 */
type FailedEnd = 'stored' | 'not_stored' | 'refused';

// The first and the last delay between tries, in milliseconds. A store may reject writes for hours. The end of the job waits in
// memory until the store recovers.
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

/** Stores the ends of jobs. After `ending` has aborted, each write to the store is tried only once. */
function createJobEnds({ store, log, clock }: EndDeps, ending: AbortSignal) {
  /**
   * Resolves with true when the end is durable, and with false if the job can no longer end in this way. Throws `artifact` if a
   * publication is not pending. Retries after every other error, and logs only the first error. Throws the reason of `giveUp` if
   * that signal aborts between two tries.
   */
  async function settle(
    { sequence, requestId }: JobRecord,
    end: JobEnd,
    giveUp: AbortSignal,
  ): Promise<boolean> {
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, LAST_RETRY_MS)) {
      try {
        return await store.settle(sequence, end);
      } catch (thrown) {
        // The result is invalid, so a retry cannot succeed.
        if (toBridgeError(thrown).code === 'artifact') throw thrown;
        if (waitMs === FIRST_RETRY_MS) log.failure(thrown, { requestId });
        await sleep(clock, waitMs, giveUp);
      }
    }
  }

  return {
    /** Throws `cancelled` if the cancellation of the job was committed before its result. */
    async succeed(
      { job, ledger, publications }: RunningJob,
      { response, publications: made }: GenerationResult,
      signal: AbortSignal,
    ): Promise<void> {
      const end = {
        status: 'succeeded',
        completedSecs: nowSecs(clock),
        settlement: ledger.settlement(),
        result: toArtifactResult(response),
        publications: made.map(({ record }) => record.id),
      } as const;
      const isStored = await settle(job, end, signal).catch((thrown) => {
        if (toBridgeError(thrown).code === 'artifact') {
          // According to the store, the images do not belong to the job, so they cannot become its partial result.
          publications.refuse();
          ledger.withdrawn();
        }
        throw thrown;
      });
      if (isStored) return;
      // The cancellation was committed before the result. If the signal has not aborted, another process may have requested the
      // cancellation, and no call was stopped.
      throw signal.aborted ? toFailure(signal.reason, signal) : cancellation();
    },

    /**
     * Ends the job with its finished images as its partial result. Resolves with `not_stored` if the process stops before the end
     * is stored.
     */
    async fail({ job, ledger, publications }: RunningJob, error: BridgeError): Promise<FailedEnd> {
      const end = {
        status: endOf(error),
        completedSecs: nowSecs(clock),
        settlement: ledger.settlement(),
        error: toStoredError(ledger.restricted(error)),
        publications: publications.ids(),
      } as const;
      return settle(job, end, ending).then(
        (isEnded) => (isEnded ? 'stored' : 'refused'),
        () => 'not_stored',
      );
    },
  };
}

interface QueueDeps {
  readonly store: Pick<JobStore, 'claim'>;
  readonly notices: JobNotices;
  readonly live: Pick<LiveJobs, 'claim'>;
  /** Returns false while the bridge cannot store the images of a job. */
  readonly canPublish: () => boolean;
  /**
   * Ends the jobs that must not be claimed. Called before each claim, which waits for the promise. Returns undefined if no job
   * has to end.
   */
  readonly beforeClaim: () => Promise<void> | undefined;
  /** The limits of each claim. */
  readonly claimLimits: ClaimLimits;
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
}

// The wait in milliseconds after a failed claim, and between checks while images cannot be stored.
const CLAIM_RETRY_MS = 1000;

export type JobQueue = ReturnType<typeof createJobQueue>;

/**
 * Claims queued jobs for workers, in the order of the store. Idle workers do not poll the store, but wait for a notice that a job
 * may be claimed.
 */
export function createJobQueue(deps: QueueDeps) {
  const { store, notices, live, canPublish, beforeClaim, claimLimits, log, clock } = deps;
  const waiting = new Set<(isSearch: boolean) => void>();
  let wakes = 0;
  let isRefused = false;

  notices.subscribe((notice) => {
    if (notice.type === 'queued') wake(claimLimits.isOwnWork ? notice.ownCount : notice.count);
    else if (notice.type === 'resumed') wake(Number.POSITIVE_INFINITY);
    // The process whose job has ended may be stopping, so one worker of every process tries to claim a job in its place.
    else if (notice.type === 'ended' && claimLimits.maxRunning !== undefined) wake(1);
    // One worker searches for jobs. If it finds a job, it wakes the others.
    else if (notice.type === 'missed') wake(1, true);
  });

  function wake(count: number, isSearch = false): void {
    if (count > 0) wakes += 1;
    for (const [nth, resume] of [...waiting].entries()) {
      if (nth >= count) return;
      waiting.delete(resume);
      resume(isSearch);
    }
  }

  /** Logs the first failed claim of a series, because no request reports the failure. */
  function noteRefusal(thrown: unknown): void {
    if (!isRefused) log.failure(thrown, { task: 'job-claim' });
    isRefused = true;
  }

  /** Resolves when the worker is woken: with true if it must search, because a notice was missed and a job may be queued. */
  function untilWoken(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    waiting.add(resolve);
    return abortable(promise, signal).finally(() => waiting.delete(resolve));
  }

  return {
    /** Waits for a job and claims the job. Throws the reason of the signal if the signal aborts. */
    async next(signal: AbortSignal): Promise<JobRecord> {
      let isSearch = false;
      for (;;) {
        signal.throwIfAborted();
        if (!canPublish()) {
          // The job stays queued, because its images would be paid for but could not be stored.
          await sleep(clock, CLAIM_RETRY_MS, signal);
          continue;
        }
        const before = wakes;
        try {
          const ending = beforeClaim();
          if (ending) await ending;
          const job = await live.claim(
            () => store.claim(nowSecs(clock), claimLimits),
            (claimed) => (claimed.request ? claimed : undefined),
          );
          isRefused = false;
          if (job && isSearch) wake(Number.POSITIVE_INFINITY);
          if (job?.request) return job;
          // The job is unreadable and has ended. Other jobs may wait behind the unreadable job.
          if (job) continue;
        } catch (thrown) {
          noteRefusal(thrown);
          await sleep(clock, CLAIM_RETRY_MS, signal);
          continue;
        }
        // If a job was added during this claim, this worker was not waiting and was not woken, so it claims again.
        if (wakes === before) isSearch = await untilWoken(signal);
      }
    },
  };
}
