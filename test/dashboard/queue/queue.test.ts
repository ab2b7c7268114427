import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import type { OwnQueue } from '../../../dashboard/src/api/schemas.ts';
import { createQueue } from '../../../dashboard/src/queue/queue.ts';

type Deps = Parameters<typeof createQueue>[0];

const state = (paused: boolean) => ({ paused, queued: 0, running: 0 });

/** Creates the queue of a bridge that delivers its first reply when the test releases it. */
function openQueue() {
  const reading = Promise.withResolvers<void>();
  const reply = (data: unknown) => ({ data, response: new Response() });
  const api = {
    async GET() {
      await reading.promise;
      return reply(state(false));
    },
    PATCH: async (_path: string, { body }: { body: { paused: boolean } }) =>
      reply(state(body.paused)),
  } as unknown as Api;
  const ownQueue = { latest: signal<OwnQueue | undefined>(undefined) };
  const queue = createQueue({
    api,
    connection: { returns: signal(0) },
    jobs: { open: signal(new Map()) },
    ownQueue,
    diagnostics: { latest: signal(undefined) },
  } as unknown as Deps);
  return { queue, ownQueue, reading };
}

/** Resolves when all handlers of a resolved promise have run. */
const settled = () => new Promise(setImmediate);

describe('createQueue', () => {
  it('reads the queue at the start', async () => {
    const { queue, reading } = openQueue();

    reading.resolve();
    await settled();

    expect(queue.latest.value).toEqual(state(false));
  });

  it('reads the queue when the own places show another state', async () => {
    const { queue, ownQueue, reading } = openQueue();
    reading.resolve();
    await settled();
    await queue.setPaused(true);

    ownQueue.latest.value = { paused: false, max_running: 1, running: [], waiting: [], queued: 0 };
    await settled();

    expect(queue.latest.value).toEqual(state(false));
  });

  it('discards a reply that was requested before the queue was paused', async () => {
    const { queue, reading } = openQueue();

    await queue.setPaused(true);
    reading.resolve();
    await settled();

    expect(queue.latest.value).toEqual(state(true));
  });
});
