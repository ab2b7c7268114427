import type { Amount } from '../contract/reply/cost.ts';
import type { Caller, Account as Payer } from '../contract/request/caller.ts';
import { chargedImages, isOwnWork } from '../contract/request/own-work.ts';
import { MAX_USAGE_DAYS, type UsageQuery, type UsageReport } from '../contract/resources/usage.ts';
import { BridgeError, toBridgeError } from '../errors/bridge-error.ts';
import type { Account } from '../generation/ledger/ledger.ts';
import type {
  LedgerEntry,
  LedgerStore,
  Reservation,
} from '../generation/ledger/ledger-store-port.ts';
import type { PlannedSpend } from '../generation/ledger/rows.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import { DAY_MS, today } from '../platform/days.ts';
import type { Ids } from '../platform/ids.ts';
import { createUsageReport, type NamedPayers } from './usage-report.ts';
import type { UsageStore } from './usage-store-port.ts';

interface Deps {
  readonly store: UsageStore;
  readonly ledger: LedgerStore;
  readonly tokens: NamedPayers;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newUuid'>;
  readonly log: Pick<TraceLog, 'failure'>;
}

export type Usage = ReturnType<typeof createUsage>;

/** Opens the accounts of requests, enforces the allowance of each token, and reports the usage. */
export function createUsage(deps: Deps) {
  const { store, ledger, clock } = deps;
  const closings = createClosings(deps);
  const report = createUsageReport(deps);

  function reservationOf(payer: Payer, images: number, spend?: () => PlannedSpend): Reservation {
    const { id: token, imagesPerDay } = payer;
    const day = today(clock);
    const retryAfterMs = (day + 1) * DAY_MS - clock.nowMs();
    const budget = spend && budgetOf(payer, images, spend);
    return { token, day, images, allowance: imagesPerDay, retryAfterMs, budget };
  }

  return {
    /**
     * Returns the reservation of `images` images for a payer, for the current day. With `spend`, reserves money if the payer has a
     * budget. Throws `unsupported_capability` if the cost is unknown and the payer does not accept unknown costs.
     */
    reservationOf,

    ...createAccounts(deps, closings, reservationOf),

    /**
     * Reports the caller with its limits, and the usage of its token or of all tokens. Throws `permission_denied` if the caller may
     * not see the usage of all tokens.
     */
    async report(caller: Caller, query: UsageQuery): Promise<UsageReport> {
      await closings.settled();
      return report(caller, query);
    },

    /**
     * Closes the accounts of requests that were running when their process ended. Throws `overloaded` if the store cannot
     * write.
     */
    recover: (): Promise<void> => ledger.recover(),

    /** Retries the refused closings one last time. Resolves when each closing is durable or has been refused again. */
    close: closings.end,

    /** The task that removes old usage. */
    retention: {
      name: 'usage-retention',
      everyMs: DAY_MS,
      run: () => store.prune(today(clock) - MAX_USAGE_DAYS),
    },
  };
}

/** Returns the budget of a payer and the amount to reserve. Undefined if the payer has no budget. */
function budgetOf(payer: Payer, images: number, spend: () => PlannedSpend): Reservation['budget'] {
  if (!hasBudget(payer)) return undefined;
  const { budgetPerDay: perDay, budgetPerMonth: perMonth } = payer;
  const planned = spend();
  if (planned.isUnknown && payer.unknownCost === undefined) {
    throw new BridgeError(
      'unsupported_capability',
      'the cost of the request is not known in advance, and the token has a budget',
      { details: { reason: 'unknown_cost' } },
    );
  }
  return { perDay, perMonth, held: amountFor(payer, images, planned) };
}

function hasBudget({ budgetPerDay, budgetPerMonth }: Payer): boolean {
  return budgetPerDay !== undefined || budgetPerMonth !== undefined;
}

/** Returns the amount that images cost at most. Without an `unknownCost`, an unknown cost counts as 0. */
function amountFor(
  { unknownCost = 0n }: Payer,
  images: number,
  { amount, isUnknown }: PlannedSpend,
): Amount {
  const unknown = isUnknown ? unknownCost * BigInt(images) : 0n;
  return unknown > amount ? unknown : amount;
}

/**
 * Returns the amount that a request needs at the current prices. Undefined if the payer has no budget. If the price has become
 * unknown, the reservation stays as it is, so that work that was accepted does not fail because a price cannot be read.
 */
function neededBy(
  payer: Payer | undefined,
  images: number,
  spend: (() => PlannedSpend) | undefined,
): Amount | undefined {
  return payer && spend && hasBudget(payer) ? amountFor(payer, images, spend()) : undefined;
}

/** The parts of a job that its account needs. */
interface ChargedJob {
  readonly id: string;
  /** The id of the token that submitted the job. */
  readonly token: string;
  readonly request: Parameters<typeof chargedImages>[0];
}

/** Opens the accounts of requests and of jobs. */
function createAccounts(
  { ledger, ids, tokens }: Deps,
  closings: Pick<Closings, 'close'>,
  reservationOf: (payer: Payer, images: number, spend?: () => PlannedSpend) => Reservation,
) {
  /**
   * Reserves the outputs of a request. If the reservation fails, closes the account, because the reservation may still have
   * been stored.
   */
  async function reserved(entry: LedgerEntry): Promise<void> {
    try {
      await ledger.reserve(entry);
    } catch (refusal) {
      closings.close(() => ledger.close(entry.id, { renewals: 0, counts: [] }));
      throw refusal;
    }
  }

  return {
    /** Opens the account of one request. */
    accountFor(payer: Payer): Account {
      let entry: LedgerEntry | undefined;
      let isReserved = false;
      let isBegun = false;
      return {
        async reserve(images, spend) {
          const opened = { id: ids.newUuid(), ...reservationOf(payer, images, spend) };
          // Without an allowance and a budget, nothing is reserved, and the account is stored with its first call.
          if (opened.allowance !== undefined || opened.budget !== undefined) {
            await reserved(opened);
            isReserved = true;
            isBegun = true;
          }
          entry = opened;
        },
        async open(call, spend) {
          if (!entry) throw new Error('a call was opened before the account was reserved');
          const needed = neededBy(payer, entry.images, spend);
          if (isReserved) return ledger.addCall(entry.id, call, needed);
          await ledger.begin(entry, call);
          isBegun = true;
        },
        accept: async () => false,
        withdrawTicket: async () => {},
        async renew(settlement, images) {
          if (entry) await ledger.renew(entry.id, settlement, images);
        },
        close(settlement) {
          const closed = entry;
          if (!closed) return;
          closings.close(() =>
            isBegun ? ledger.close(closed.id, settlement) : ledger.record(closed, settlement),
          );
        },
      };
    },

    /** Reopens the account of a job, which was opened when the job was accepted. The store closes the account with the job. */
    accountOfJob: ({ id, token, request }: ChargedJob): Account => ({
      isFree: isOwnWork(request),
      reserve: async () => {},
      async open(call, spend) {
        const needed = neededBy(tokens.accountOf(token), chargedImages(request), spend);
        await ledger.addCall(id, call, needed);
      },
      accept: (call) => ledger.accept(id, call).then(() => true),
      withdrawTicket: (call) => ledger.withdrawTicket(id, call),
      renew: (settlement, images) => ledger.renew(id, settlement, images),
      close: () => {},
    }),
  };
}

// The store may refuse to write for hours. During this time, closings wait in memory.
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;
// The maximum number of refused closings in memory, which need a few megabytes. More are not expected, because each account was
// opened in the store shortly before.
const MAX_WAITING = 10_000;

type Closings = ReturnType<typeof createClosings>;

/**
 * Closes accounts in the next transaction of the store, without making their requests wait. Retries a closing that the store refuses
 * until the store accepts it.
 */
function createClosings({ clock, log }: Pick<Deps, 'clock' | 'log'>) {
  const writing = new Set<Promise<void>>();
  /** The closings that the store has refused. */
  const refused: (() => Promise<void>)[] = [];
  const ending = new AbortController();
  let retrying: Promise<void> | undefined;

  async function write(closing: () => Promise<void>): Promise<void> {
    try {
      await closing();
    } catch (error) {
      if (refused.length === 0) log.failure(error, { task: 'usage' });
      // Above the limit, the account stays open in the store, and the next start counts its outputs as unknown.
      if (refused.length < MAX_WAITING) refused.push(closing);
      retrying ??= retry().catch(() => {});
    }
  }

  async function writeRefused(): Promise<void> {
    for (let [first] = refused; first; [first] = refused) {
      const failure = await first().catch(toBridgeError);
      refused.shift();
      if (!failure) continue;
      // A closing that always fails must not block the closings behind it.
      refused.push(first);
      throw failure;
    }
  }

  async function retry(): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; refused.length > 0; ) {
      await sleep(clock, waitMs, ending.signal);
      await writeRefused().catch(() => {});
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
    }
    retrying = undefined;
  }

  /** Resolves when every started closing is durable or refused. */
  async function settled(): Promise<void> {
    await Promise.all(writing);
  }

  return {
    /** Starts closing an account. */
    close(closing: () => Promise<void>): void {
      const written = write(closing).finally(() => writing.delete(written));
      writing.add(written);
    },

    settled,

    /** Retries refused closings one last time. */
    async end(): Promise<void> {
      ending.abort(new Error('the bridge is stopping'));
      await settled();
      await retrying;
      await writeRefused().catch(() => {});
    },
  };
}
