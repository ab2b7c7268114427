import { type ReadonlySignal, signal } from '@preact/signals';
import type { JobSummary } from '../../api/schemas.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Shape } from '../layout/row-layout.ts';
import { tileRatio } from '../layout/tile-ratio.ts';

export type Shapes = ReturnType<typeof createShapes>;

/** The shapes of the known jobs. A layout reads thousands at once, so that it watches one number instead of each. */
export function createShapes(jobs: Jobs) {
  const shapes = new Map<string, Shape>();
  const version = signal(0);
  const unsubscribe = jobs.subscribe((change) => {
    if (change.kind === 'removed') shapes.delete(change.id);
    else renew(change.job);
  });

  function renew(job: JobSummary): void {
    const ratio = tileRatio(job);
    const before = shapes.get(job.id);
    if (before === undefined || before.ratio === ratio) return;
    shapes.set(job.id, { ...before, ratio });
    version.value += 1;
  }

  return {
    /** Grows when a shape has changed. */
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

    close: unsubscribe,
  };
}
