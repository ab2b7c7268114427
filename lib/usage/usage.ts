import type { Account, Caller } from '../contract/request/caller.ts';
import { MAX_USAGE_DAYS, type UsageReport } from '../contract/resources/usage.ts';
import type { TraceLog } from '../log/trace-log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Charge } from './charge.ts';
import type { ProviderUsage, Reservation, UsageDay, UsageStore } from './usage-store-port.ts';

interface Deps {
  readonly store: UsageStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<TraceLog, 'failure'>;
}

/** A job whose images were reserved when it was accepted. */
interface ReservedJob {
  readonly token: string;
  readonly createdSecs: number;
  readonly images: number;
}

/** What was reserved, and for which day. */
type Held = UsageDay & { readonly reserved: number };

const DAY_SECS = 86_400;
const DAY_MS = DAY_SECS * 1000;

export type Usage = ReturnType<typeof createUsage>;

/** Counts the images of each token, and holds it to its allowance. */
export function createUsage({ store, clock, log }: Deps) {
  const today = () => Math.floor(clock.nowMs() / DAY_MS);

  function reservationOf({ id: token, imagesPerDay }: Account, images: number): Reservation {
    const day = today();
    const retryAfterMs = (day + 1) * DAY_MS - clock.nowMs();
    return { token, day, images, allowance: imagesPerDay, retryAfterMs };
  }

  async function reserve(account: Account, images: number): Promise<Held> {
    const reservation = reservationOf(account, images);
    const { token, day, allowance } = reservation;
    // Without an allowance there is none to exceed: what was made is counted afterwards.
    if (allowance === undefined) return { token, day, reserved: 0 };
    await store.reserve(reservation);
    return { token, day, reserved: images };
  }

  function createCharge(hold: (images: number) => Promise<Held>): Charge {
    let held: Held | undefined;
    return {
      async reserve(images) {
        held = await hold(images);
      },
      async settle({ perhapsMade, provider = '', images, failed, tokens }) {
        if (held === undefined) return;
        const { token, day, reserved } = held;
        const givenBack = reserved - perhapsMade;
        try {
          await store.settle({ token, day, givenBack, provider, images, failed, tokens });
        } catch (error) {
          // The images are made or not, whether or not they can be counted.
          log.failure(error, { task: 'usage' });
        }
      },
    };
  }

  return {
    /** What so many images of this account reserve now. */
    reservationOf,

    /** For one request that makes images. */
    chargeFor: (account: Account): Charge => createCharge((images) => reserve(account, images)),

    /** For the run of a job. */
    chargeOfJob({ token, createdSecs, images }: ReservedJob): Charge {
      const held = { token, day: Math.floor(createdSecs / DAY_SECS), reserved: images };
      return createCharge(async () => held);
    },

    /** What the caller's token used on the last `days` days, this one included, and what it may use. */
    async report(caller: Caller, days: number): Promise<UsageReport> {
      const { id: token, name, permissions, imagesPerDay, expiresSecs } = caller;
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
  return {
    images: rows.reduce((sum, { images }) => sum + images, 0),
    failed: rows.reduce((sum, { failed }) => sum + failed, 0),
    ...(tokens.length === 0 ? {} : { tokens: tokens.reduce((sum, count) => sum + count, 0) }),
  };
}
