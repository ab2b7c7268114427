import { signal } from '@preact/signals';
import { expect, it } from 'vitest';
import type { JobSummary } from '../../../../dashboard/src/api/schemas.ts';
import { createShapes } from '../../../../dashboard/src/gallery/state/shapes.ts';
import type { JobChange } from '../../../../dashboard/src/jobs/jobs.ts';
import { artifacts, summary } from '../../support/job-summary.ts';

function createRig() {
  const running = summary({ status: 'running', size: 'auto' });
  const ended: JobSummary = {
    ...running,
    status: 'succeeded',
    artifacts: artifacts(1, 1024, 1024),
  };
  const job = signal(running);
  const listeners = new Set<(change: JobChange) => void>();
  const isHolding = signal(false);
  const shapes = createShapes(
    {
      get: (id) => (id === running.id ? job : undefined),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    isHolding,
  );
  shapes.get(running.id);
  const put = (changed: JobSummary) => {
    for (const listener of listeners) listener({ kind: 'changed', job: changed, isNews: true });
  };
  const end = () => {
    job.value = ended;
    put(ended);
  };
  /** Reports another job, which is then no longer known. Returns its id. */
  const putForgotten = () => {
    const other = { ...running, id: 'other' };
    for (const listener of listeners) listener({ kind: 'changed', job: other, isNews: false });
    return other.id;
  };
  return { isHolding, shapes, put, end, putForgotten, ratio: () => shapes.get(running.id)?.ratio };
}

it('a shape follows its job and reports each change once', () => {
  const { shapes, end, ratio } = createRig();
  expect(ratio()).toBe(1.5);
  end();
  expect(ratio()).toBe(1);
  end();
  expect(shapes.version.value).toBe(1);
});

it('a shape stays known when its job is forgotten before it is shown', () => {
  const { shapes, putForgotten } = createRig();
  const id = putForgotten();
  expect(shapes.get(id)?.ratio).toBe(1.5);
});

it('a held shape changes when it is released', () => {
  const { shapes, end, ratio, isHolding } = createRig();
  isHolding.value = true;
  end();
  expect(ratio()).toBe(1.5);
  expect(shapes.version.value).toBe(0);
  isHolding.value = false;
  expect(ratio()).toBe(1);
  expect(shapes.version.value).toBe(1);
});

it('a closed list of shapes no longer changes', () => {
  const { shapes, end, ratio } = createRig();
  shapes.close();
  end();
  expect(ratio()).toBe(1.5);
});

it('a shape reports that its job was cancelled while it waited, although the ratio stays', () => {
  const { shapes, put } = createRig();
  const waiting = summary({ id: 'waiting', status: 'queued', size: 'auto' });
  put(waiting);
  put({ ...waiting, status: 'cancelled' });
  expect(shapes.get('waiting')?.isEmpty).toBe(true);
  expect(shapes.version.value).toBe(1);
});
