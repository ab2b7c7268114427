import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import { createJobBatches } from '../../../dashboard/src/jobs/job-batches.ts';
import { createJobUndo } from '../../../dashboard/src/jobs/job-undo.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';
import { createUndo } from '../../../dashboard/src/shell/undo.ts';
import { once } from '../support/once.ts';

afterEach(() => void vi.useRealTimers());

/** Creates the storage of a tab. */
function openStorage() {
  const stored = new Map<string, string>();
  return {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
}

/** Opens a page in a tab. The bridge refuses the requests of the first undo. */
function openBatches(storage = openStorage(), token = 'first') {
  const undone: string[] = [];
  const sent: unknown[] = [];
  const refused = [{ reason: 'refused', count: 2, ids: ['1', '2'] }];
  const replies: Record<string, (id: string) => object> = {
    '/v1/jobs/batch': () => ({ done: 3, skipped: [], undo: { id: 'change', expires: 1 } }),
    '/v1/jobs/batch/{id}/undo': (id) => ({
      done: 1,
      skipped: undone.push(id) === 1 ? refused : [],
    }),
  };
  const POST = async (path: string, { params }: { params: { path?: { id: string } } }) => ({
    data: replies[path]?.(params.path?.id ?? ''),
    response: new Response(),
  });
  const toasts = createToasts();
  const undo = createUndo(toasts);
  const api = { POST } as unknown as Api;
  const resending = { untilAccepted: once };
  const jobs = {
    setHidden: async (...change: unknown[]) => void sent.push(change),
    markImage: async (...change: unknown[]) => void sent.push(change),
  };
  const jobUndo = createJobUndo(api, {
    ...{ jobs, toasts, undo, resending, storage, connection: { token: signal(token) } },
  });
  const batches = createJobBatches(api, { toasts, resending, jobUndo });
  return { batches, jobUndo, toasts, undo, undone, sent };
}

it('an undo whose requests were partly refused can be tried again', async () => {
  const { batches, jobUndo, toasts, undo, undone } = openBatches();
  await batches.change({ action: 'cancel' }, ['1', '2', '3'], 'batch.nothing');
  undo.undo();
  await jobUndo.undoing.peek();

  const [message] = toasts.list.peek();
  toasts.clear();
  message?.action?.run();
  await jobUndo.undoing.peek();

  expect(message).toMatchObject({ kind: 'failed', text: '2 jobs could not be restored' });
  expect(undone).toEqual(['change', 'change']);
  expect(toasts.list.peek()).toEqual([]);
});

it('an undo is offered again after a reload, until it is used', async () => {
  const storage = openStorage();
  await openBatches(storage).batches.change({ action: 'hide' }, ['1'], 'gallery.wasHidden');

  const reloaded = openBatches(storage);
  const [offered] = reloaded.toasts.list.peek();
  reloaded.undo.undo();
  await reloaded.jobUndo.undoing.peek();

  expect(offered).toMatchObject({ kind: 'done', text: '3 hidden' });
  expect(reloaded.undone).toEqual(['change']);
  expect(openBatches(storage).toasts.list.peek()).toEqual([]);
});

it('the undo of single changes sends the earlier marks after a reload, the latest first', async () => {
  const storage = openStorage();
  const reverts = [
    { job: '1', hidden: false },
    { job: '2', image: 'a', marks: { favorite: false } },
  ];
  openBatches(storage).jobUndo.offer('Hidden', reverts);

  const reloaded = openBatches(storage);
  reloaded.undo.undo();
  await reloaded.jobUndo.undoing.peek();

  expect(reloaded.sent).toEqual([
    ['2', 'a', { favorite: false }],
    ['1', false],
  ]);
});

it('an undo is reverted by the page that made the change, and is then not offered again', async () => {
  const storage = openStorage();
  const { jobUndo, undo, sent } = openBatches(storage);
  const reverted: string[] = [];
  jobUndo.offer('Hidden', [{ job: '1', hidden: false }], {
    revert: () => void reverted.push('here'),
  });

  undo.undo();

  expect(reverted).toEqual(['here']);
  expect(sent).toEqual([]);
  expect(openBatches(storage).toasts.list.peek()).toEqual([]);
});

it('an undo is not offered again with another token', async () => {
  const storage = openStorage();
  await openBatches(storage).batches.change({ action: 'hide' }, ['1'], 'gallery.wasHidden');

  expect(openBatches(storage, 'second').toasts.list.peek()).toEqual([]);
  expect(openBatches(storage).toasts.list.peek()).toHaveLength(1);
});

it('an undo is not offered again by a reload a minute later', async () => {
  const storage = openStorage();
  vi.useFakeTimers({ toFake: ['Date'] });
  await openBatches(storage).batches.change({ action: 'hide' }, ['1'], 'gallery.wasHidden');

  vi.setSystemTime(Date.now() + 60_000);

  expect(openBatches(storage).toasts.list.peek()).toEqual([]);
});
