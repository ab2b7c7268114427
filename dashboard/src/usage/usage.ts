import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type Api, ApiError, unwrap } from '../api/api.ts';
import type { UsageReport } from '../api/schemas.ts';
import type { Connection } from '../connection/connection.ts';

/** The number of days shown. */
const DAYS = 30;

const COLUMNS = ['images', 'failed', 'unknown', 'lost'] as const;

/** Returns the counts that have a column. `unknown` and `lost` have a column only if a day has such images. */
export function usageColumns(days: UsageReport['items']): readonly (typeof COLUMNS)[number][] {
  return COLUMNS.filter(
    (column) => column === 'images' || column === 'failed' || days.some((day) => day[column] > 0),
  );
}

/** Returns false if the token is known to lack the permission to create jobs. */
export function mayCreate(usage: UsageReport | undefined): boolean {
  return usage?.caller.permissions.includes('jobs') !== false;
}

/** Reads the caller and its usage by day. */
export function createUsage(api: Api, connection: Connection) {
  const latest = signal<UsageReport | undefined>(undefined);
  let controller = new AbortController();

  async function read(): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal: abort } = controller;
    try {
      const params = { query: { days: DAYS } };
      latest.value = await unwrap(api.GET('/v1/usage', { params, signal: abort }));
    } catch (error) {
      // Without a connection, the last usage stays.
      const isLost = ApiError.of(error).code === 'unreachable';
      if (!abort.aborted && !isLost) latest.value = undefined;
    }
  }

  effect(() => {
    // The usage belongs to the token, so a new token clears the usage.
    void connection.token.value;
    latest.value = undefined;
  });
  return {
    /** Undefined until the usage has been read, and if the token lacks the permission to read the usage. */
    latest: latest as ReadonlySignal<UsageReport | undefined>,
    read,
    /** True while the planned request costs more than is left of the budget. */
    isBeyond: signal(false),
  };
}
