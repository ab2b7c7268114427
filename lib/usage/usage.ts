import type { Caller, Account as Payer } from '../contract/request/caller.ts';
import { MAX_USAGE_DAYS, type UsageReport } from '../contract/resources/usage.ts';
import type { LedgerStore, Reservation } from '../generation/ledger/ledger-store-port.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { createAccounts } from './accounts.ts';
import { createClosings } from './closings.ts';
import type { ProviderUsage, UsageStore } from './usage-store-port.ts';

interface Deps {
  readonly store: UsageStore;
  readonly ledger: LedgerStore;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newUuid'>;
  readonly log: Pick<TraceLog, 'failure'>;
}

const DAY_SECS = 86_400;
const DAY_MS = DAY_SECS * 1000;

export type Usage = ReturnType<typeof createUsage>;

/** Opens the accounts of requests, holds each token to its allowance, and reports what it has used. */
export function createUsage({ store, ledger, clock, ids, log }: Deps) {
  const closings = createClosings({ clock, log });
  const today = () => Math.floor(clock.nowMs() / DAY_MS);

  function reservationOf({ id: token, imagesPerDay }: Payer, images: number): Reservation {
    const day = today();
    const retryAfterMs = (day + 1) * DAY_MS - clock.nowMs();
    return { token, day, images, allowance: imagesPerDay, retryAfterMs };
  }

  return {
    /** What so many images of this account reserve now. */
    reservationOf,

    ...createAccounts({ ledger, closings, ids, reservationOf }),

    /** Reports what the caller's token used on the last `days` days, this one included, and what it may use. */
    async report(caller: Caller, days: number): Promise<UsageReport> {
      const { id: token, name, permissions, imagesPerDay, expiresSecs } = caller;
      await closings.settled();
      const day = today();
      const items = toDays(await store.list({ token, day: day - days + 1 }));
      const used = await store.charged({ token, day });
      const resets = (day + 1) * DAY_SECS;
      return {
        caller: {
          ...(name === '' ? {} : { name }),
          permissions: [...permissions],
          ...(expiresSecs === undefined ? {} : { expires: expiresSecs }),
          ...(imagesPerDay === undefined
            ? {}
            : { allowance: { images_per_day: imagesPerDay, used, resets } }),
        },
        items,
      };
    },

    /** Ends the accounts of requests that were running when their process ended. Throws `overloaded`. */
    recover: (): Promise<void> => ledger.recover(Math.floor(clock.nowMs() / 1000)),

    /** Resolves once the accounts that were closed are durable, or the store has refused them once more. */
    close: closings.end,

    /** A task. */
    retention: {
      name: 'usage-retention',
      everyMs: DAY_MS,
      run: () => store.prune(today() - MAX_USAGE_DAYS),
    },
  };
}

/** The rows of each day as one item. */
function toDays(rows: readonly ProviderUsage[]): UsageReport['items'] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return [...byDay].map(([day, ofDay]) => ({
    day: new Date(day * DAY_MS).toISOString().slice(0, 10),
    ...sumOf(ofDay),
    by_provider: Object.fromEntries(
      ofDay.filter(({ provider }) => provider !== '').map((row) => [row.provider, sumOf([row])]),
    ),
  }));
}

function sumOf(rows: readonly ProviderUsage[]) {
  const tokens = rows.flatMap((row) => row.tokens ?? []);
  const sum = (of: (row: ProviderUsage) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    images: sum(({ images }) => images),
    failed: sum(({ failed }) => failed),
    unknown: sum(({ unknown }) => unknown),
    lost: sum(({ lost }) => lost),
    ...(tokens.length === 0 ? {} : { tokens: tokens.reduce((all, count) => all + count, 0) }),
  };
}
