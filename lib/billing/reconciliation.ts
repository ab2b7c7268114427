import { amountText, type Cost, toWireCost } from '../contract/reply/cost.ts';
import {
  MAX_BILLED_DAYS,
  type Reconciliation,
  type ReconciliationCreate,
} from '../contract/resources/reconciliation.ts';
import type { SealedCursors } from '../cursors/sealed-cursor.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Clock } from '../platform/clock.ts';
import { DAY_MS, dateOf, today } from '../platform/days.ts';
import type { Task } from '../platform/task.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import type { BilledDay, BilledSince, BillingStore, StoredCall } from './billing-store-port.ts';

interface Deps {
  readonly registry: Pick<ProviderRegistry, 'find'>;
  readonly store: BillingStore;
  readonly cursors: SealedCursors;
  readonly clock: Pick<Clock, 'nowMs'>;
}

// Calls of one reply. OpenRouter needs a request for each of them.
const PAGE = 50;

export type Reconciliations = ReturnType<typeof createReconciliations>;

/** Compares the recorded costs of calls with the charges of their service, and records the charges. */
export function createReconciliations({ registry, store, cursors, clock }: Deps) {
  /** Resolves with one page of calls, and the cursor of the next page. */
  async function pageOf(since: BilledSince, days: number, cursor: string | undefined) {
    // The first day moves on at midnight, so the cursor belongs to the number of days.
    const list = ['billed-calls', since.provider, days];
    const after = cursor === undefined ? undefined : toPosition(cursors.read(list, cursor));
    const calls = await store.list(since, { after, limit: PAGE });
    const last = calls.length < PAGE ? undefined : calls.at(-1);
    return { calls, next: last && cursors.write(list, Buffer.from(`${last.day} ${last.id}`)) };
  }

  return {
    /**
     * Compares at most 50 calls. Throws `not_found` for an unknown provider, `invalid_request` for a cursor of another list,
     * `overloaded`, and the errors of `ProviderBilling`.
     */
    async run(
      name: string,
      { days, dry_run: isDryRun, cursor }: ReconciliationCreate,
      signal: AbortSignal,
    ): Promise<Reconciliation> {
      const provider = registry.find(name);
      if (!provider) throw new BridgeError('not_found', 'provider not found');
      const since = { provider: name, day: today(clock) - days + 1 };
      const { calls, next } = await pageOf(since, days, cursor);
      const ids = calls.map(({ id }) => id);
      const charges = await provider.billing?.chargesOf(ids, since.day, signal);
      const billed = calls.flatMap((call) => {
        const amount = charges?.get(call.id);
        return amount === undefined ? [] : [{ ...call, amount }];
      });
      const different = billed.filter(({ amount, cost }) => !isEqual(cost, amount));
      if (!isDryRun && different.length > 0) await store.settle(name, different);
      const correction = different.reduce(
        (sum, { amount, cost }) => sum + amount - cost.amount,
        0n,
      );
      return {
        provider: name,
        reports_charges: charges !== undefined,
        equal: billed.length - different.length,
        settled: different.length,
        pending: charges ? calls.length - billed.length : 0,
        correction: amountText(correction),
        days: (await store.days(since)).map(toWireDay),
        ...(charges && next !== undefined ? { next_cursor: next } : {}),
      };
    },

    /** The task that removes calls that can no longer be compared. */
    retention: {
      name: 'billed-call-retention',
      everyMs: DAY_MS,
      run: () => store.prune(today(clock) - MAX_BILLED_DAYS),
    } satisfies Task,
  };
}

function isEqual({ amount: recorded, basis }: Cost, amount: bigint): boolean {
  return basis !== 'unknown' && recorded === amount;
}

function toPosition(position: Buffer): Pick<StoredCall, 'day' | 'id'> {
  const [day = '', id = ''] = position.toString().split(' ');
  return { day: Number(day), id };
}

function toWireDay({ day, cost, unpriced }: BilledDay): Reconciliation['days'][number] {
  return {
    day: dateOf(day),
    cost: toWireCost(cost),
    unknown_images: unpriced,
  };
}
