import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { JobSummary } from '../../api/schemas.ts';
import { isOpen, wasCancelledWaiting } from '../../jobs/job-state.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type Shape, tileRatio } from '../layout/row-layout.ts';

/**
 * Provides the shapes of the jobs that the page has known. A shape stays known when its job is forgotten. The layout watches one
 * version number instead of thousands of shapes. While `isHolding` is true, cards keep their shapes, so that the visible cards do not
 * move.
 */
export function createShapes(
  jobs: Pick<Jobs, 'get' | 'subscribe'>,
  isHolding: ReadonlySignal<boolean>,
) {
  /** The ratios of the cards by job id. */
  const ratios = new Map<string, number>();
  /** The ids of the jobs whose cards have nothing to show. */
  const empty = new Set<string>();
  /** The ratios of unfinished images by job id. */
  const unfinished = new Map<string, number>();
  const version = signal(0);
  /** The ids of jobs that changed while `isHolding` was true. */
  const changed = new Set<string>();
  const unsubscribe = jobs.subscribe((change) => {
    if (change.kind === 'changed') {
      if (!isOpen(change.job)) unfinished.delete(change.job.id);
      touch(change.job);
      return;
    }
    ratios.delete(change.id);
    empty.delete(change.id);
    unfinished.delete(change.id);
  });
  const stop = effect(() => {
    if (isHolding.value) return;
    for (const id of changed) {
      const job = jobs.get(id);
      if (job !== undefined) touch(job);
    }
    changed.clear();
  });

  function touch(job: JobSummary): void {
    const [ratio, before] = [tileRatio(job, unfinished.get(job.id)), ratios.get(job.id)];
    const isEmpty = wasCancelledWaiting(job);
    if (before === ratio && empty.has(job.id) === isEmpty) return;
    if (before !== undefined && isHolding.peek()) {
      changed.add(job.id);
      return;
    }
    ratios.set(job.id, ratio);
    if (isEmpty) empty.add(job.id);
    else empty.delete(job.id);
    if (before !== undefined) version.value = version.peek() + 1;
  }

  function ratioOf(id: string): number | undefined {
    const job = ratios.has(id) ? undefined : jobs.get(id);
    if (job !== undefined) touch(job);
    return ratios.get(id);
  }

  return {
    /** A counter that increases when a shape has changed. */
    version: version as ReadonlySignal<number>,

    /** Returns the shapes of a list of jobs, newest first. */
    of(ids: readonly string[]): readonly Shape[] {
      const shapes: Shape[] = [];
      let [day, firstOfDay] = [Number.NaN, ''];
      for (const id of ids) {
        const ratio = ratioOf(id);
        if (ratio === undefined) continue;
        if (Number.isNaN(day) || id < firstOfDay) {
          day = new Date(acceptedMs(id)).setHours(0, 0, 0, 0);
          firstOfDay = firstIdAt(day);
        }
        shapes.push({ id, ratio, day, isEmpty: empty.has(id) });
      }
      return shapes;
    },

    /** Takes the ratio (width divided by height) of the unfinished image of an open job. */
    measure(job: JobSummary, ratio: number): void {
      if (unfinished.get(job.id) === ratio || !Number.isFinite(ratio)) return;
      unfinished.set(job.id, ratio);
      touch(job);
    },

    close(): void {
      stop();
      unsubscribe();
    },
  };
}

/** Returns the time at which a job was accepted, in Unix milliseconds. The id is a UUIDv7, which begins with this time. */
function acceptedMs(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Returns the beginning of the first id of the jobs that are accepted from a time on, in Unix milliseconds. */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
