import type { RequestContext } from '../contract/request/request-context.ts';
import {
  type BatchFilter,
  type JobBatch,
  type JobBatchResult,
  type JobBatchUndoResult,
  MAX_BATCH,
  UNDO_SECS,
} from '../contract/resources/job-batch.ts';
import { invalidField } from '../contract/schema/issues.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { toFingerprint } from '../platform/fingerprint.ts';
import type { Ids } from '../platform/ids.ts';
import { createPlaces, type Place } from '../platform/ordered-steps.ts';
import type { JobAcceptance } from './accept-job.ts';
import {
  type Change,
  isRefused,
  type Marks,
  marksFor,
  RETRY_REASONS,
  reasonOf,
  type Target,
  toBefore,
  toResult,
  toTarget,
  UNDONE,
} from './job-batch-changes.ts';
import type { JobBatchStore, JobBefore, StoredBatch } from './job-batch-store-port.ts';
import { type CancelJob, cancellation } from './job-end.ts';
import { toJobFilter } from './job-lists.ts';
import type { JobSearch, JobStore, JobSummary } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'update' | 'list' | 'summaries'>;
  readonly search: Pick<JobSearch, 'find'>;
  readonly batches: JobBatchStore;
  readonly cancelJob: CancelJob;
  readonly acceptance: Pick<JobAcceptance, 'retry'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newUuid'>;
}

// The number of jobs that are read or changed together. The store writes them in few transactions.
const AT_ONCE = 32;
const PAGE = 1000;
/** The number of batches of a scope that can be undone. */
const MAX_OF_SCOPE = 20;

export type JobBatches = ReturnType<typeof createJobBatches>;

/** Changes many jobs of a scope with one request, and undoes such changes. */
export function createJobBatches(deps: Deps) {
  const { batches, clock, ids } = deps;
  const select = createSelection(deps);
  const change = createChanges(deps);
  const undo = createUndo(deps);
  /** The running batches with a key, by their ids. A repetition waits for them. */
  const running = new Map<string, Promise<Changed>>();

  async function run(id: string, { scope, body, signal }: BatchRequest): Promise<Changed> {
    const selected = await select(scope, body, signal);
    const changes = await inGroups(selected, (target) => change(scope, target, body));
    const jobs = changes.flatMap((one) => ('before' in one ? [one.before] : []));
    const result = toResult(changes);
    if (jobs.length === 0) return { result, replayed: false };
    const now = nowSecs(clock);
    const expiresSecs = now + UNDO_SECS;
    const limits = { nowSecs: now, maxOfScope: MAX_OF_SCOPE };
    await batches.add({ id, scope, action: body.action, jobs, expiresSecs }, limits);
    return { result: { ...result, undo: { id, expires: expiresSecs } }, replayed: false };
  }

  /**
   * Resolves with the result of an earlier request with this id, or with undefined if its changes can no longer be undone. After
   * the earlier request has ended, the result lists no skipped jobs.
   */
  async function findResult(id: string, scope: string): Promise<Changed | undefined> {
    const earlier = await running.get(id);
    if (earlier) return { ...earlier, replayed: true };
    const stored = await batches.find(scope, id, nowSecs(clock));
    if (!stored) return undefined;
    const undoable = { id, expires: stored.expiresSecs };
    return {
      result: { done: stored.jobs.length, skipped: [], undo: undoable },
      replayed: true,
    };
  }

  return {
    /**
     * Changes the selected jobs, and stores their earlier values for an undo. A job that cannot be changed is skipped. The same
     * request with the same key changes nothing more. Throws `invalid_request` if the filter selects too many jobs, `count_differs`
     * if it selects more than expected, and `overloaded`.
     */
    async change(request: BatchRequest): Promise<Changed> {
      const { scope, body, key } = request;
      if (key === undefined) return run(ids.newUuid(), request);
      const id = keyedId(scope, key, body);
      const earlier = await findResult(id, scope);
      if (earlier) return earlier;
      // Another repetition may have started to run in the meantime.
      const joined = running.get(id);
      const work = joined ?? run(id, request).finally(() => running.delete(id));
      running.set(id, work);
      return { ...(await work), replayed: joined !== undefined };
    },

    /**
     * Restores the earlier marks, labels or priorities of the jobs of a batch. Cancelled jobs stay cancelled, and their requests
     * are queued again as retries, which replace the jobs that had not started: these jobs are hidden. If the undo is interrupted,
     * a repetition continues and queues no job twice. If requests are refused, for example because an allowance is used up, a
     * repetition queues only these requests. Throws `not_found`.
     */
    async undo(batchId: string, context: RequestContext): Promise<JobBatchUndoResult> {
      const batch = await batches.find(context.scope, batchId, nowSecs(clock));
      if (!batch) throw new BridgeError('not_found', 'no change with this id can be undone');
      const changes = await undo(batch, context);
      const refused = new Set(changes.flatMap((one) => (isRefused(one) ? one.id : [])));
      if (refused.size === 0) await batches.remove(batchId);
      else {
        const left = batch.jobs.filter(({ id }) => refused.has(id));
        await batches.replaceJobs(batchId, left);
      }
      return toResult(changes);
    },
  };
}

interface BatchRequest {
  readonly scope: string;
  readonly body: JobBatch;
  readonly signal: AbortSignal;
  /** The idempotency key. */
  readonly key?: string | undefined;
}

interface Changed {
  readonly result: JobBatchResult;
  /** True if the jobs were changed by an earlier request with the key. */
  readonly replayed: boolean;
}

/**
 * Returns the id of a batch with a key, so that a repetition finds the batch. The id is a UUIDv8 (RFC 9562, section 5.8), which is
 * different for each key, body and scope.
 */
function keyedId(scope: string, key: string, body: JobBatch): string {
  const hex = toFingerprint('changeJobs', [scope, key, body]);
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...groups, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

/** A job to change, or the id of a job that does not exist. */
type Selected = Target | string;

/** Creates the function that selects the jobs of a batch. */
function createSelection({ store, search }: Pick<Deps, 'store' | 'search'>) {
  /** Yields the pages of the list with this filter, newest job first. */
  async function* pagesOf(
    scope: string,
    wanted: BatchFilter,
    signal: AbortSignal,
  ): AsyncGenerator<readonly JobSummary[]> {
    const { terms, ...filter } = toJobFilter(wanted);
    let before: number | undefined;
    for (;;) {
      const page = { limit: PAGE, ...(before === undefined ? {} : { before }) };
      const found =
        terms === undefined
          ? await store.list(scope, filter, page)
          : await search.find(scope, { ...filter, terms }, page, signal);
      yield 'items' in found ? found.items : await store.summaries(scope, found.sequences);
      if (!found.more) return;
      before = 'items' in found ? found.items.at(-1)?.sequence : found.sequences.at(-1);
    }
  }

  /** Resolves with the selected jobs, oldest first, because an undo queues the jobs again in this order. */
  return async function select(
    scope: string,
    { ids, filter, expected_count: expected = 0 }: JobBatch,
    signal: AbortSignal,
  ): Promise<readonly Selected[]> {
    if (filter === undefined) {
      return inGroups([...new Set(ids)], async (id) => (await store.find(scope, id)) ?? id);
    }
    const selected: Target[] = [];
    for await (const page of pagesOf(scope, filter, signal)) {
      selected.push(...page.map(toTarget));
      if (selected.length > MAX_BATCH) {
        throw invalidField('filter', 'too_many', `must select at most ${MAX_BATCH} jobs`);
      }
    }
    if (selected.length > expected) {
      throw new BridgeError('count_differs', 'the filter selects more jobs than expected', {
        param: 'expected_count',
        details: { count: selected.length },
      });
    }
    return selected.toReversed();
  };
}

/** Creates the function that changes one job of a batch. */
function createChanges({ store, cancelJob, clock }: Pick<Deps, 'store' | 'cancelJob' | 'clock'>) {
  async function cancelOne(scope: string, id: string, isRunningIncluded: boolean): Promise<Change> {
    const job = await cancelJob(scope, id, cancellation(), 'stop', !isRunningIncluded);
    if (job === undefined) return { id, reason: 'not_found' };
    if (job.status === 'cancelled' || job.cancelRequested) return { before: { id } };
    return { id, reason: job.status === 'running' ? 'running' : 'ended' };
  }

  return async function change(scope: string, target: Selected, body: JobBatch): Promise<Change> {
    if (typeof target === 'string') return { id: target, reason: 'not_found' };
    const { id } = target;
    const marks = marksFor(target, body);
    if (typeof marks === 'string') return { id, reason: marks };
    if (marks === undefined) return cancelOne(scope, id, body.running);
    try {
      const changed = await store.update(scope, id, { atSecs: nowSecs(clock), ...marks });
      return changed ? { before: toBefore(target, marks) } : { id, reason: 'not_found' };
    } catch (error) {
      return { id, reason: reasonOf(error) };
    }
  };
}

/** The options of one job that the undo of a batch queues again. The places keep the earlier order of the jobs. */
interface Requeue {
  readonly batchId: string;
  readonly context: RequestContext;
  readonly place: Place;
}

/** Creates the function that undoes the changes of a batch. */
function createUndo({ store, acceptance, clock }: Pick<Deps, 'store' | 'acceptance' | 'clock'>) {
  async function requeue(
    id: string,
    { batchId, context, place }: Requeue,
  ): Promise<Change & { readonly newId?: string }> {
    try {
      // The key makes a repeated undo find the job that the interrupted undo has queued.
      const key = { idempotencyKey: `undo ${batchId} ${id}` };
      const { job } = await acceptance.retry(id, { ...context, ...key }, place);
      return { before: { id }, newId: job.id };
    } catch (error) {
      if (!(error instanceof BridgeError) || context.signal().aborted) throw error;
      return { id, reason: RETRY_REASONS[error.code] ?? 'refused' };
    } finally {
      place.leave();
    }
  }

  /**
   * Hides a cancelled job whose request was queued again as the job `newId`, which becomes a favourite if the cancelled job is a
   * favourite. A job that had started stays visible, because its calls may be charged and it may have images.
   */
  async function replace(scope: string, id: string, newId: string): Promise<void> {
    const job = await store.find(scope, id);
    if (job === undefined || job.startedSecs !== undefined) return;
    const atSecs = nowSecs(clock);
    if (job.favorite) await store.update(scope, newId, { atSecs, favorite: true });
    await store.update(scope, id, { atSecs, deleted: true });
  }

  async function undoCancel({ id: batchId, scope, jobs }: StoredBatch, context: RequestContext) {
    const nextPlace = createPlaces();
    const changes = await inGroups(jobs, ({ id }) =>
      requeue(id, { batchId, context, place: nextPlace() }),
    );
    await inGroups(changes, async (one) => {
      if ('before' in one && one.newId) await replace(scope, one.before.id, one.newId);
    });
    return changes;
  }

  async function restore(
    scope: string,
    { id, ...before }: JobBefore,
    marks: Marks,
  ): Promise<Change> {
    try {
      const change = { ...marks, ...before, atSecs: nowSecs(clock) };
      const job = await store.update(scope, id, change);
      return job ? { before: { id } } : { id, reason: 'not_found' };
    } catch (error) {
      return { id, reason: reasonOf(error) };
    }
  }

  return async (batch: StoredBatch, context: RequestContext): Promise<readonly Change[]> => {
    const { scope, action, jobs } = batch;
    if (action === 'cancel') return undoCancel(batch, context);
    return inGroups(jobs, (job) => restore(scope, job, UNDONE[action]));
  };
}

/** Runs `work` for each item, `AT_ONCE` items at a time, and resolves with the results in the order of the items. */
async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results;
}
