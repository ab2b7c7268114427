import { expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import { createJobBatches } from '../../../dashboard/src/jobs/job-batches.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';
import { createUndo } from '../../../dashboard/src/shell/undo.ts';

/** Creates a bridge that refuses the requests of the first undo. */
function openBatches() {
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
    ...{ toasts, undo },
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
