import { type BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { RunningGeneration } from '../generation/generation.ts';
import { toGenerationRequest } from '../generation/generation-request.ts';
import { createLedger } from '../generation/ledger/ledger.ts';
import { toStoredSources } from '../inputs/to-input-sources.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { ImageRun, ImageRuns } from '../runs/image-run.ts';
import type { Usage } from '../usage/usage.ts';
import { interruption, isInterruption } from './job-end.ts';
import { createJobEnds, type RunningJob } from './job-ends.ts';
import { trackPublications } from './job-publications.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';
import type { LiveJob, LiveJobs } from './streams/live-jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'settle'>;
  readonly live: LiveJobs;
  readonly runs: ImageRuns;
  readonly usage: Pick<Usage, 'accountOfJob'>;
  readonly publisher: Parameters<typeof trackPublications>[0]['publisher'];
  readonly log: Pick<TraceLog, 'failure'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId' | 'newSpanId'>;
}

/** Runs jobs that have been claimed, each once and to its end, and settles them in the store. */
export function createJobWorker(deps: Deps) {
  const { live, runs, ids } = deps;
  const ending = new AbortController();
  const ends = createJobEnds(deps, ending.signal);

  function newRun(running: RunningJob, here: LiveJob): ImageRun<void> {
    const { job, ledger, publications } = running;
    const context = {
      requestId: job.requestId,
      scope: job.scope,
      trace: { traceId: ids.newOpaqueId(), spanId: ids.newSpanId() },
      // A job names its artifacts by their ids: its result holds no address of this bridge.
      baseUrl: '',
      waitsWhenFull: true,
      noMoreCalls: here.noMoreCalls,
      ledger,
      outputs: publications.outputs,
    };
    const request = toGenerationRequest(job.request, toStoredSources(job.request));
    return runs.newRun(request, context, {
      commit: (made) => ends.succeed(running, made, here.signal),
      toFailure: (thrown) => toFailure(thrown, here.signal),
      keepsPublications: true,
    });
  }

  async function run(job: JobRecord): Promise<void> {
    const here = live.begin(job);
    const publications = trackPublications(deps, job);
    const ledger = createLedger(deps.usage.accountOfJob(job), job.request.parameters.n);
    const running = { job, ledger, publications };
    try {
      const imageRun = newRun(running, here);
      const generation = imageRun.start(here.signal);
      void showEvents(generation, here);
      // Events that are still unread are of no use once the work has ended.
      const made = await generation.result.finally(generation.ignoreEvents);
      publications.add(made.publications);
      const { aborted, reason } = here.signal;
      // What was made just when the bridge stops is the result; a cancelled job keeps it as its partial result.
      if (aborted && !isInterruption(reason)) throw await imageRun.discard(made, reason);
      await imageRun.commit(made);
    } catch (thrown) {
      const stored = await ends.fail(running, toBridgeError(thrown));
      // Only now: until its end is stored, the next start may still make a partial result of them.
      if (stored === 'refused' || (stored && publications.ids().length === 0)) {
        await publications.discard();
      }
    } finally {
      here.end();
    }
  }

  return {
    /** Resolves when the job has ended and that is durable. Never rejects. */
    run,

    /** Ends all running jobs as interrupted without waiting for the store: the time for any other end is over. */
    interruptAll(): void {
      const reason = interruption();
      live.stopAll(reason);
      ending.abort(reason);
    },
  };
}

/** The failure of a job: one that was stopped fails with the reason for that, and with what is known of its provider. */
function toFailure(thrown: unknown, { aborted, reason }: AbortSignal): BridgeError {
  const error = toBridgeError(thrown);
  if (!aborted) return error;
  if (isInterruption(reason)) return toBridgeError(reason);
  const known = error.code === 'cancelled' ? error : toBridgeError(reason);
  // A provider that did not stop has set this already.
  return known.with({ details: { provider_stopped: true, ...known.details } });
}

async function showEvents({ events }: RunningGeneration, here: LiveJob): Promise<void> {
  for await (const event of events) here.note(event);
}
