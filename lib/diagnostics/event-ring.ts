import {
  type ApiEvent,
  type Diagnostics,
  EVENT_CAPACITY,
} from '../contract/resources/diagnostics.ts';
import type { HttpObserver } from '../http/observer-port.ts';
import type { Clock } from '../platform/clock.ts';

interface Deps {
  readonly clock: Pick<Clock, 'nowMs'>;
}

export interface EventRing extends HttpObserver {
  /**
   * Returns all events, or the events of one token, newest first. The events of one token have separate numbers, because
   * global numbers would reveal the number of requests of other tokens.
   */
  report(callerId?: string): Diagnostics['events'];
}

/** A reply, and its number among the replies to the same caller. */
interface Entry {
  readonly event: ApiEvent;
  readonly callerId: string | undefined;
  readonly ownSequence: number;
}

/** Stores the latest replies in memory, without their content. */
export function createEventRing({ clock }: Deps): EventRing {
  const ring: Entry[] = [];
  let count = 0;
  /** The number of replies to each token since the start. The map is small, because only listed tokens are counted. */
  const countOf = new Map<string | undefined, number>();

  function newestFirst(): readonly Entry[] {
    const next = count % EVENT_CAPACITY;
    return [...ring.slice(next), ...ring.slice(0, next)].reverse();
  }

  return {
    replied({ route, method, status, durationMs, callerId }) {
      if (isLeftOut(route)) return;
      const index = count % EVENT_CAPACITY;
      const ownSequence = (countOf.get(callerId) ?? 0) + 1;
      countOf.set(callerId, ownSequence);
      count += 1;
      const event = {
        sequence: count,
        timestamp_ms: clock.nowMs(),
        method,
        route,
        status,
        // Rounded to microseconds.
        duration_ms: Math.round(durationMs * 1000) / 1000,
      };
      ring[index] = { event, callerId, ownSequence };
    },
    report(callerId) {
      const entries = newestFirst();
      const shown =
        callerId === undefined
          ? entries.map(({ event }) => event)
          : entries
              .filter((entry) => entry.callerId === callerId)
              .map(({ event, ownSequence: sequence }) => ({ ...event, sequence }));
      const total = callerId === undefined ? count : (countOf.get(callerId) ?? 0);
      return { capacity: EVENT_CAPACITY, overwritten: total - shown.length, items: shown };
    },
  };
}

/** Returns true for the routes of probes, scrapes and page loads. Their events would displace all other events. */
function isLeftOut(route: string): boolean {
  return route.startsWith('/health/') || route === '/metrics' || route.startsWith('/dashboard/');
}
