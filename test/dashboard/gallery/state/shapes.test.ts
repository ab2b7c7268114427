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
  let job = running;
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
  const put = (changed: JobSummary) => {
    for (const listener of listeners) listener({ kind: 'changed', job: changed, isNews: true });
  };
  const end = () => {
    job = ended;
    put(job);
  };
  const ratio = (id = running.id) => shapes.of([id])[0]?.ratio;
  ratio();
  return { isHolding, shapes, put, end, ratio };
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
  const { put, ratio } = createRig();
  put(summary({ id: 'other', size: 'auto' }));
  expect(ratio('other')).toBe(1.5);
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
  expect(shapes.of(['waiting'])[0]?.isEmpty).toBe(true);
  expect(shapes.version.value).toBe(1);
});

it('each shape has the day in local time on which its job was accepted', () => {
  const { shapes, put } = createRig();
  const midnight = new Date(2026, 10, 28).getTime();
  const ids = [midnight + 3_600_000, midnight, midnight - 1, midnight - 172_800_000].map((ms) => {
    const time = ms.toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
  });
  for (const id of ids) put(summary({ id }));

  const days = shapes.of(ids).map(({ day }) => new Date(day));

  expect(days).toEqual([28, 28, 27, 26].map((date) => new Date(2026, 10, date)));
});
