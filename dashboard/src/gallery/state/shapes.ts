import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { JobSummary } from '../../api/schemas.ts';
import { isOpen, wasCancelledWaiting } from '../../jobs/job-state.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { type Shape, tileRatio } from '../layout/row-layout.ts';

/**
 * Provides the shapes of the known jobs. The layout watches one version number instead of thousands of shapes. While
 * `isHolding` is true, cards keep their shapes, so that the visible cards do not move.
 */
export function createShapes(
  jobs: Pick<Jobs, 'get' | 'subscribe'>,
  isHolding: ReadonlySignal<boolean>,
) {
  const shapes = new Map<string, Shape>();
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
    shapes.delete(change.id);
    unfinished.delete(change.id);
  });
  const stop = effect(() => {
    if (isHolding.value) return;
    for (const id of changed) {
      const job = jobs.get(id)?.peek();
      if (job !== undefined) renew(job);
    }
    changed.clear();
  });

  function touch(job: JobSummary): void {
    // A shape stays known when the summary of its job is forgotten.
    if (!shapes.has(job.id)) add(job);
    else if (!isHolding.peek()) renew(job);
    else if (isOther(job)) changed.add(job.id);
  }

  function shapeOf(job: JobSummary): Shape {
    return {
      id: job.id,
      ratio: tileRatio(job, unfinished.get(job.id)),
      day: new Date(job.created * 1000).setHours(0, 0, 0, 0),
      isEmpty: wasCancelledWaiting(job),
    };
  }

  /** Returns true if a job has another shape than before. */
  function isOther(job: JobSummary): boolean {
    const [before, next] = [shapes.get(job.id), shapeOf(job)];
    return before?.ratio !== next.ratio || before.isEmpty !== next.isEmpty;
  }

  function add(job: JobSummary): Shape {
    const shape = shapeOf(job);
    shapes.set(job.id, shape);
    return shape;
  }

  function renew(job: JobSummary): void {
    if (!(shapes.has(job.id) && isOther(job))) return;
    add(job);
    version.value = version.peek() + 1;
  }

  return {
    /** A counter that increases when a shape has changed. */
    version: version as ReadonlySignal<number>,

    get(id: string): Shape | undefined {
      const known = shapes.get(id);
      if (known !== undefined) return known;
      const job = jobs.get(id)?.peek();
      return job && add(job);
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
