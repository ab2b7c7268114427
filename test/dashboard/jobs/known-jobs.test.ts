import { effect } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { createKnownJobs } from '../../../dashboard/src/jobs/known-jobs.ts';
import { summary } from '../support/job-summary.ts';

const { id } = summary();
const ended = summary({ status: 'succeeded' });
const later = summary({ status: 'succeeded', favorite: true });

/** Watches a job in the way of a view. */
function watchJob(known: ReturnType<typeof createKnownJobs>) {
  const seen: (boolean | undefined)[] = [];
  const stop = effect(() => void seen.push(known.watch(id)?.favorite));
  return { seen, stop };
}

const forgetAll = ({ forget }: ReturnType<typeof createKnownJobs>) => forget(() => false);

describe('watch', () => {
  it('runs a view again when a job becomes known, changes and is removed', () => {
    const known = createKnownJobs();
    const { seen } = watchJob(known);

    known.set(ended);
    known.set(later);
    known.delete(id);

    expect(seen).toEqual([undefined, false, true, undefined]);
  });

  it('reports each change to all views', () => {
    const known = createKnownJobs();
    const [one, two] = [watchJob(known), watchJob(known)];
    one.stop();

    known.set(later);

    expect(one.seen).toEqual([undefined]);
    expect(two.seen).toEqual([undefined, true]);
  });

  it('shows a job again that was forgotten before the view was opened', () => {
    const known = createKnownJobs();
    known.set(ended);
    forgetAll(known);
    const { seen } = watchJob(known);

    known.set(ended);

    expect(seen).toEqual([undefined, false]);
  });
});

describe('forget', () => {
  it('keeps a job while a view watches the job', () => {
    const known = createKnownJobs();
    known.set(ended);
    const { stop } = watchJob(known);

    forgetAll(known);
    const whileWatched = known.get(id);
    stop();
    forgetAll(known);

    expect(whileWatched).toEqual(ended);
    expect(known.get(id)).toBeUndefined();
  });

  it('keeps jobs that have not ended, and jobs that are needed', () => {
    const known = createKnownJobs();
    known.set(summary({ status: 'running' }));
    known.set({ ...ended, id: 'needed' });

    known.forget((each) => each === 'needed');

    expect(known.get(id)?.status).toBe('running');
    expect(known.get('needed')).toEqual({ ...ended, id: 'needed' });
  });

  it('keeps all jobs while a read is held', async () => {
    const known = createKnownJobs();
    known.set(ended);

    await known.hold(async () => forgetAll(known));
    const held = known.get(id);
    forgetAll(known);

    expect(held).toEqual(ended);
    expect(known.get(id)).toBeUndefined();
  });
});
