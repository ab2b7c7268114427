import { signal } from '@preact/signals';
import { afterEach, expect, it, vi } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import { createJobBatches } from '../../../dashboard/src/jobs/job-batches.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';
import { createUndo } from '../../../dashboard/src/shell/undo.ts';

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
  const batches = createJobBatches({ POST } as unknown as Api, {
    ...{ toasts, undo, storage, connection: { token: signal(token) } },
    resending: { untilAccepted: (send) => send() },
  });
  return { batches, toasts, undo, undone };
}

it('an undo whose requests were partly refused can be tried again', async () => {
  const { batches, toasts, undo, undone } = openBatches();
  await batches.change({ action: 'cancel' }, ['1', '2', '3'], 'batch.nothing');
  undo.undo();
  await batches.undoing.peek();

  const [message] = toasts.list.peek();
  toasts.clear();
  message?.action?.run();
  await batches.undoing.peek();

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
  await reloaded.batches.undoing.peek();

  expect(offered).toMatchObject({ kind: 'done', text: '3 hidden' });
  expect(reloaded.undone).toEqual(['change']);
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
