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
  /** The newest first. */
  report(): Diagnostics['events'];
}

/** Keeps the last replies without content, in memory only (specification 2.6). */
export function createEventRing({ clock }: Deps): EventRing {
  const ring: ApiEvent[] = [];
  let count = 0;
  return {
    replied({ route, method, status, durationMs }) {
      if (isLeftOut(route)) return;
      const index = count % EVENT_CAPACITY;
      count += 1;
      ring[index] = {
        sequence: count,
        timestamp_ms: clock.nowMs(),
        method,
        route,
        status,
        duration_ms: toMicroseconds(durationMs),
      };
    },
    report() {
      const next = count % EVENT_CAPACITY;
      const items = [...ring.slice(next), ...ring.slice(0, next)].reverse();
      return { capacity: EVENT_CAPACITY, overwritten: count - items.length, items };
    },
  };
}

/** Probes, scrapers and page loads would push out everything else. */
function isLeftOut(route: string): boolean {
  return route.startsWith('/health/') || route === '/metrics' || route.startsWith('/dashboard/');
}

/** More digits would be noise. */
function toMicroseconds(durationMs: number): number {
  return Math.round(durationMs * 1000) / 1000;
}
