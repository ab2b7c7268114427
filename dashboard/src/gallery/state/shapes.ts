import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { JobSummary } from '../../api/schemas.ts';
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
  const version = signal(0);
  /** The ids of jobs that changed while `isHolding` was true. */
  const changed = new Set<string>();
  const unsubscribe = jobs.subscribe((change) => {
    if (change.kind === 'removed') shapes.delete(change.id);
    else if (isHolding.peek()) changed.add(change.job.id);
    else renew(change.job);
  });
  const stop = effect(() => {
    if (isHolding.value) return;
    for (const id of changed) {
      const job = jobs.get(id)?.peek();
      if (job !== undefined) renew(job);
    }
    changed.clear();
  });

  function renew(job: JobSummary): void {
    const ratio = tileRatio(job);
    const before = shapes.get(job.id);
    if (before === undefined || before.ratio === ratio) return;
    shapes.set(job.id, { ...before, ratio });
    version.value = version.peek() + 1;
  }

  return {
    /** A counter that increases when a shape has changed. */
    version: version as ReadonlySignal<number>,

    get(id: string): Shape | undefined {
      const known = shapes.get(id);
      if (known !== undefined) return known;
      const job = jobs.get(id)?.peek();
      if (job === undefined) return undefined;
      const shape = {
        id,
        ratio: tileRatio(job),
        day: new Date(job.created * 1000).setHours(0, 0, 0, 0),
      };
      shapes.set(id, shape);
      return shape;
    },

    close(): void {
      stop();
      unsubscribe();
    },
  };
}
