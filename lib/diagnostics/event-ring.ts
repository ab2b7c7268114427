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
   * Returns the events, newest first: all events, or the events of one token. The events of one token have their own
   * numbers, because global numbers would reveal the number of requests of other tokens.
   */
  report(callerId?: string): Diagnostics['events'];
}

/** A reply, and its number among the replies to the same caller. */
interface Entry {
  readonly event: ApiEvent;
  readonly callerId: string | undefined;
  readonly ownSequence: number;
}

/** Stores the last replies, without content and only in memory. */
export function createEventRing({ clock }: Deps): EventRing {
  const ring: Entry[] = [];
  let count = 0;
  /**
   * The number of replies to each token since the start. The map is small because every token is listed in the tokens file.
   */
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
        duration_ms: toMicroseconds(durationMs),
      };
      ring[index] = { event, callerId, ownSequence };
    },
    report(callerId) {
      const entries = newestFirst();
      if (callerId === undefined)
        return toReport(
          entries.map(({ event }) => event),
          count,
        );
      const own = entries.filter((entry) => entry.callerId === callerId);
      const events = own.map(({ event, ownSequence: sequence }) => ({ ...event, sequence }));
      return toReport(events, countOf.get(callerId) ?? 0);
    },
  };
}

function toReport(items: ApiEvent[], count: number): Diagnostics['events'] {
  return { capacity: EVENT_CAPACITY, overwritten: count - items.length, items };
}

/** Returns true for routes of probes, scrapers and page loads, which would displace all other events. */
function isLeftOut(route: string): boolean {
  return route.startsWith('/health/') || route === '/metrics' || route.startsWith('/dashboard/');
}

/** Rounds to microseconds. */
function toMicroseconds(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1000;
}
