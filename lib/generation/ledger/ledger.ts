import type { Routing } from '../../contract/request/routing.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { createLedgerCall, createRowBook, type LedgerCall } from './ledger-call.ts';
import type { OpenCall, ProviderCounts, Settlement } from './ledger-store-port.ts';
import { countFailed, countPaid, mayFallBack, NOTHING, restricted, sumByProvider } from './rows.ts';

/** The durable side of the ledger of one request. */
export interface Account {
  /** Reserves the outputs of the request, once. Throws `rate_limited` if the allowance does not suffice, `overloaded`. */
  reserve(outputs: number): Promise<void>;
  /** Resolves once it is durable that the call may be sent. Throws `overloaded`. */
  open(call: OpenCall): Promise<void>;
  /**
   * Counts the calls of a route that has failed, and reserves the outputs for the next route. Throws `rate_limited` and counts
   * nothing if the allowance does not suffice, `overloaded`.
   */
  renew(settlement: Settlement, outputs: number): Promise<void>;
  /** Counts the calls that are still open and gives back what is still reserved, once. The store may take that later. */
  close(settlement: Settlement): void;
}

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Keeps the account of one request: one row for each output of each provider call. Everything that depends on what was made
 * and paid for is a function of the rows (`rows.ts`). The ledger tells `account` what has to be durable.
 */
export function createLedger(account: Account, outputs: number) {
  const book = createRowBook();
  /** Rows before this position are counted already. */
  let counted = 0;
  let renewals = 0;
  let calls = 0;
  let route = -1;
  let lastProvider = '';
  let isReserved = false;
  let tokens: readonly ProviderCounts[] = [];

  return {
    /** Reserves all outputs, once. Throws `rate_limited`, `overloaded`. */
    async reserve(): Promise<void> {
      await account.reserve(outputs);
      isReserved = true;
    },

    beginRoute(provider: string): void {
      route += 1;
      lastProvider = provider;
    },

    /** Adds a call of the current route. */
    beginCall(provider: string, indices: readonly number[]): LedgerCall {
      const onTokens = (count: number) => {
        tokens = [...tokens, { ...NOTHING, provider, tokens: count }];
      };
      const call = calls;
      calls += 1;
      const deps = { book, openCall: account.open, onTokens };
      return createLedgerCall(deps, { call, route, provider }, indices);
    },

    /** Returns a failure of the current route, as the rows of this route allow it. */
    restrictedOnRoute: (error: BridgeError): BridgeError =>
      restricted(
        error,
        book.rows().filter((row) => row.route === route),
      ),

    /** Returns the failure of the request, as all rows of all routes allow it. */
    restricted: (error: BridgeError): BridgeError => restricted(error, book.rows()),

    /**
     * Resolves with true if the next route may be tried after the current one has failed, and its outputs are reserved. What
     * the current route has made stays paid for, so that the allowance may not suffice for another one.
     */
    async fallsBack(error: BridgeError, policy: Routing['fallback_policy']): Promise<boolean> {
      if (!mayFallBack(book.rows(), route, error, policy)) return false;
      if (counted === book.rows().length) return true;
      try {
        const counts = sumByProvider([...countPaid(book.rows().slice(counted)), ...tokens]);
        await account.renew({ renewals, counts }, outputs);
      } catch {
        return false;
      }
      counted = book.rows().length;
      renewals += 1;
      tokens = [];
      return true;
    },

    /** Returns the failure of an output that could not be delivered. */
    restrictedOutput: (error: BridgeError, index: number): BridgeError =>
      restricted(error, book.ofOutput(index)),

    /** The images of these outputs are delivered: in the reply, or as artifacts. */
    delivered(indices: readonly number[]): void {
      const delivered = new Set<number | undefined>(indices);
      book.change((row) => row.progress === 'verified' && delivered.has(row.index), {
        progress: 'published',
      });
    },

    /** The images that were delivered are removed again, because their request has failed. */
    withdrawn(): void {
      book.change((row) => row.progress === 'published', { progress: 'lost' });
    },

    /** Returns what is not counted yet. */
    settlement(): Settlement {
      const failed = countFailed(book.rows(), { outputs, lastProvider });
      const counts = sumByProvider([
        ...countPaid(book.rows().slice(counted)),
        ...tokens,
        ...failed,
      ]);
      return { renewals, counts };
    },

    /** Counts everything that is not counted yet, once. A request that could not be reserved counts nothing. */
    close(): void {
      if (!isReserved) return;
      isReserved = false;
      account.close(this.settlement());
    },

    rows: book.rows,
  };
}
