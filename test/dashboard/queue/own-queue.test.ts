import { describe, expect, it } from 'vitest';
import type { Api } from '../../../dashboard/src/api/api.ts';
import type { OwnQueue } from '../../../dashboard/src/api/schemas.ts';
import { createOwnQueue } from '../../../dashboard/src/queue/own-queue.ts';

const queueOf = (queued: number): OwnQueue => ({
  ...{ paused: false, max_running: 1, running: [], waiting: [] },
  queued,
});

/** Creates the places of a bridge that delivers each reply when the test releases it. */
function openPlaces() {
  const replies: ((queue: OwnQueue) => void)[] = [];
  const api = {
    GET: () =>
      new Promise((resolve) => {
        replies.push((data) => resolve({ data, response: new Response() }));
      }),
  } as unknown as Api;
  return { places: createOwnQueue(api), replies };
}

describe('createOwnQueue', () => {
  it('discards a reply that was requested before the latest event', async () => {
    const { places, replies } = openPlaces();
    places.show();
    const reading = places.read();

    places.put(queueOf(2));
    replies[0]?.(queueOf(1));
    await reading;
    const early = places.latest.value;
    const again = places.read();
    replies[1]?.(queueOf(3));
    await again;

    expect([early, places.latest.value]).toEqual([queueOf(2), queueOf(3)]);
  });

  it('forgets the places when the last view is closed', () => {
    const { places } = openPlaces();
    const hide = [places.show(), places.show()];
    places.put(queueOf(1));

    hide[0]?.();
    const open = [places.isShown.value, places.latest.value];
    hide[1]?.();

    expect(open).toEqual([true, queueOf(1)]);
    expect([places.isShown.value, places.latest.value]).toEqual([false, undefined]);
  });
});
