import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError, joined, unwrap } from '../api/api.ts';
import type { OwnQueue } from '../api/schemas.ts';

export type OwnQueuePlaces = ReturnType<typeof createOwnQueue>;

/** Keeps the places of the own jobs in the queue while a view shows them. The event stream of the jobs reports each change. */
export function createOwnQueue(api: Api) {
  const latest = signal<OwnQueue | undefined>(undefined);
  const error = signal<ApiError | undefined>(undefined);
  const views = signal(0);
  /** The number of events. A reply that was requested before the latest event is discarded. */
  let events = 0;

  function set(queue: OwnQueue): void {
    batch(() => {
      latest.value = queue;
      error.value = undefined;
    });
  }

  return {
    /** Undefined until the places are known. */
    latest: latest as ReadonlySignal<OwnQueue | undefined>,
    /** The error of the latest read. */
    error: error as ReadonlySignal<ApiError | undefined>,
    /** True while a view shows the places. */
    isShown: computed(() => views.value > 0),

    /** Keeps the places until the returned function is called. */
    show(): () => void {
      views.value += 1;
      return () => {
        views.value -= 1;
        if (views.peek() === 0) latest.value = undefined;
      };
    },

    /** Stores the places that an event has reported. */
    put(queue: OwnQueue): void {
      events += 1;
      set(queue);
    },

    /** Reads the places. */
    read: joined(async () => {
      const before = events;
      try {
        const queue = await unwrap(api.GET('/v1/queue/own'));
        if (events === before) set(queue);
      } catch (thrown) {
        error.value = ApiError.of(thrown);
      }
    }),
  };
}
