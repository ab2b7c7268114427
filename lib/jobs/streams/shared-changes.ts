import type { JobStore } from '../job-store-port.ts';
import type { JobNotices } from './job-notices.ts';

type NextChange = JobStore['nextChange'];

interface Reading {
  readonly after: number;
  readonly change: ReturnType<NextChange>;
}

/**
 * `nextChange` of the store, read once for all readers that have the same position. What was read counts until something
 * else becomes durable: its notice comes before any reader is woken by it.
 */
export function createSharedChanges(
  store: Pick<JobStore, 'nextChange'>,
  notices: Pick<JobNotices, 'subscribe'>,
): NextChange {
  const readings = new Map<string, Reading>();
  notices.subscribe(({ type }) => {
    if (type === 'stored') readings.clear();
  });

  return function nextChange(scope, after) {
    const known = readings.get(scope);
    if (known?.after === after) return known.change;
    const change = store.nextChange(scope, after);
    const reading = { after, change };
    readings.set(scope, reading);
    // A later call reads again.
    change.catch(() => {
      if (readings.get(scope) === reading) readings.delete(scope);
    });
    return change;
  };
}
