import { type Cost, sumCosts, UNKNOWN_COST } from '../../contract/reply/cost.ts';
import type { Usage } from '../../contract/reply/image-response.ts';
import type { Routing } from '../../contract/request/routing.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { ProviderResult } from '../../providers/provider-port.ts';
import { MAX_TICKET_BYTES } from '../../providers/provider-port.ts';
import type { EarlierWork } from '../earlier-work-port.ts';
import {
  type AcceptedCall,
  type BilledCall,
  type Maker,
  makerOf,
  NO_COUNTS,
  type OpenCall,
  type ProviderCounts,
  type Settlement,
} from './ledger-store-port.ts';
import {
  type CallPrices,
  costsOfCall,
  countCosts,
  countFailed,
  countPaid,
  type LedgerRow,
  mayFallBack,
  mayRepeat,
  type PlannedSpend,
  paidAfter,
  restricted,
  sumByModel,
} from './rows.ts';

/** The prices of a call whose cost cannot be known. */
const UNPRICED: CallPrices = { costOf: () => UNKNOWN_COST };

/** The durable account of one request. */
export interface Account {
  /** True if the bridge makes the images without a model. The calls of such a request are neither recorded nor counted. */
  readonly isFree?: boolean;
  /**
   * Reserves the outputs of the request, and the planned spend if the caller has a budget. Must be called once. Throws
   * `rate_limited` if the allowance or a budget is too small, `unsupported_capability` if the caller accepts no unknown cost, and
   * `overloaded`.
   */
  reserve(outputs: number, spend?: () => PlannedSpend): Promise<void>;
  /**
   * Resolves once the call is recorded durably, so that it may be sent. `spend` returns the cost of the request on the route of the
   * call at the current prices, which may be higher than at the reservation. Throws `rate_limited` if the higher cost exceeds a
   * budget, and `overloaded`.
   */
  open(call: OpenCall, spend?: () => PlannedSpend): Promise<void>;
  /**
   * Stores the ticket of an open call. Resolves with true if another process can continue the call. Resolves with false if the
   * account ends with this process. Throws `overloaded`.
   */
  accept(call: AcceptedCall): Promise<boolean>;
  /** Deletes the ticket of a call that is about to be sent again. Throws `overloaded`. */
  withdrawTicket(call: number): Promise<void>;
  /**
   * Counts the calls of a route that has failed, and reserves the outputs for the next route. Throws `rate_limited` and counts
   * nothing if the allowance is too small. Throws `overloaded`.
   */
  renew(settlement: Settlement, outputs: number): Promise<void>;
  /**
   * Counts the calls that are still open and releases the rest of the reservation. Must be called once. The store may write the
   * change later.
   */
  close(settlement: Settlement): void;
}

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Keeps the ledger of one request: one row for each output of each provider call. Every decision that depends on which images were
 * made and paid for is a function of the rows (`rows.ts`). `account` stores the durable part. `earlier` is the work of an ended
 * process on the first route of this ledger.
 */
export function createLedger(account: Account, outputs: number, earlier?: EarlierWork) {
  const book = createRowBook(earlier && rowsOf(earlier));
  const tickets = createTickets(account, earlier);
  let renewals = earlier?.renewals ?? 0;
  let calls = Math.max(0, ...(earlier?.calls ?? []).map(({ call }) => call + 1));
  let route = -1;
  let last: Maker = { provider: '' };
  let isReserved = false;
  const charges = createCharges(book);
  const open = account.isFree ? async () => {} : account.open;

  function openedCall({ call, provider, indices }: OpenCall, prices: CallPrices) {
    charges.prices.set(call, prices);
    const facts = { call, route, ...makerOf({ ...last, provider }) };
    return createLedgerCall({ book, open, tickets, charges }, facts, indices);
  }

  return {
    /** Reserves all outputs and the planned spend. Must be called once. Throws as `Account.reserve` does. */
    async reserve(spend?: () => PlannedSpend): Promise<void> {
      await account.reserve(outputs, spend);
      isReserved = true;
    },

    /** Begins the next route, whose calls are counted for this model. */
    beginRoute(provider: string, model?: string): void {
      route += 1;
      last = makerOf({ provider, model });
    },

    /** Adds a call of the current route. By default, the cost of the call is unknown. */
    beginCall(provider: string, indices: readonly number[], prices = UNPRICED): LedgerCall {
      const call = calls++;
      const facts = { call, route, ...makerOf({ ...last, provider }) };
      book.add(indices.map((index) => newRow(facts, index)));
      return openedCall({ call, provider, indices }, prices);
    },

    /** Continues a call of an ended process. The ledger already has the rows of the call. */
    continueCall: openedCall,

    /** Returns true if another process can continue the current route, because the store has a ticket for one of its calls. */
    canContinue: tickets.isAnyStored,

    /** Returns the failure of the current route. The failure is not retryable if an output of this route may be charged. */
    restrictedOnRoute: (error: BridgeError): BridgeError => restricted(error, book.ofRoute(route)),

    /** Returns the failure of the request. The failure is not retryable if an output of any route may be charged. */
    restricted: (error: BridgeError): BridgeError => restricted(error, book.rows()),

    /**
     * Resolves with true if the next route may be tried after the current route has failed. Reserves the outputs for the next
     * route, and resolves with false if the reservation fails: the images of the current route stay paid for, so the allowance may
     * be too small for another route.
     */
    async fallsBack(error: BridgeError, policy: Routing['fallback_policy']): Promise<boolean> {
      if (!mayFallBack(book.rows(), route, error, policy)) return false;
      if (!charges.hasUncounted()) return true;
      try {
        const calls = charges.billedCalls();
        await account.renew({ renewals, counts: sumByModel(charges.uncounted()), calls }, outputs);
      } catch {
        return false;
      }
      charges.setCounted();
      tickets.clear();
      renewals += 1;
      return true;
    },

    /** Returns the failure of an undelivered output. The failure is not retryable if the output may be charged. */
    restrictedOutput: (error: BridgeError, index: number): BridgeError =>
      restricted(error, book.ofOutput(index)),

    /** Marks the images of these outputs as delivered, in the reply or as artifacts. */
    delivered(indices: readonly number[]): void {
      const delivered = new Set<number | undefined>(indices);
      book.change((row) => row.progress === 'verified' && delivered.has(row.index), {
        progress: 'published',
      });
    },

    /** Marks the delivered images as lost, because the request has failed and its images are removed. */
    withdrawn(): void {
      book.change((row) => row.progress === 'published', { progress: 'lost' });
    },

    /** Returns the counts of all outputs and tokens that are not counted yet. */
    settlement(): Settlement {
      if (account.isFree) return { renewals, counts: [] };
      const failed = countFailed(book.rows(), { outputs, last });
      const counts = sumByModel([...charges.uncounted(), ...failed]);
      return { renewals, counts, calls: charges.billedCalls() };
    },

    /** Returns the cost of all calls that have ended, on all routes. */
    cost: (): Cost => sumCosts(charges.costs().map(({ cost }) => cost)),

    /**
     * Counts all outputs and tokens that are not counted yet. Does nothing if the request has no reservation or is closed
     * already.
     */
    close(): void {
      if (!isReserved) return;
      isReserved = false;
      account.close(this.settlement());
    },

    rows: book.rows,
  };
}

type RowBook = ReturnType<typeof createRowBook>;

/**
 * Returns the rows of the calls of an ended process. The outcome of an output is unknown until its call has continued, unless its
 * image is published.
 */
function rowsOf({ calls, images, model }: EarlierWork): readonly LedgerRow[] {
  const published = new Set(images.map(({ facts }) => facts.index));
  const last = new Map(calls.flatMap(({ call, indices }) => indices.map((index) => [index, call])));
  return calls.flatMap(({ call, provider, indices }) =>
    indices.map((index): LedgerRow => {
      const facts = { call, route: 0, provider, model, index };
      return published.has(index) && last.get(index) === call
        ? { ...facts, progress: 'published', paid: 'yes' }
        : { ...facts, progress: 'sent', paid: 'unknown' };
    }),
  );
}

/** The call and the model of a row. */
type CallFacts = Pick<LedgerRow, 'call' | 'route' | 'provider' | 'model'>;

function newRow(facts: CallFacts, index: number | undefined) {
  return { ...facts, index, progress: 'not_sent', paid: 'no' } as const;
}

/** Keeps the calls of the current route that have tickets in the store. */
function createTickets(
  account: Pick<Account, 'accept' | 'withdrawTicket'>,
  earlier: EarlierWork | undefined,
) {
  const ticketed = earlier?.calls.filter(({ ticket }) => ticket !== undefined) ?? [];
  /** The calls whose tickets are stored (true), or may be stored because a write failed (false). */
  const stored = new Map(ticketed.map(({ call }) => [call, true]));

  return {
    /** Stores the ticket of a call. Resolves with false if the call cannot continue in another process. Never rejects. */
    async store(call: AcceptedCall): Promise<boolean> {
      if (Buffer.byteLength(call.ticket) > MAX_TICKET_BYTES) return false;
      stored.set(call.call, false);
      // If the ticket cannot be stored, the call continues without a ticket, because the task may already be paid for.
      const isStored = await account.accept(call).catch(() => false);
      if (isStored) stored.set(call.call, true);
      return isStored;
    },
    /** Deletes the ticket of a call, if the store may have the ticket. Throws `overloaded`. */
    async withdraw(call: number): Promise<void> {
      if (!stored.has(call)) return;
      await account.withdrawTicket(call);
      stored.delete(call);
    },
    clear: (): void => stored.clear(),
    isAnyStored: (): boolean => [...stored.values()].includes(true),
  };
}

/** Creates the book of the rows of all calls of one request. */
function createRowBook(earlier: readonly LedgerRow[] = []) {
  let rows = earlier;
  return {
    rows: () => rows,
    /** Returns the rows of one route. */
    ofRoute: (route: number) => rows.filter((row) => row.route === route),
    /** Returns the rows of one output on all routes. */
    ofOutput: (index: number) => rows.filter((row) => row.index === index),
    add(more: readonly LedgerRow[]): void {
      rows = [...rows, ...more];
    },
    change(
      which: (row: LedgerRow) => boolean,
      to: Partial<LedgerRow> | ((row: LedgerRow) => Partial<LedgerRow>),
    ): void {
      const changed = (row: LedgerRow) => (typeof to === 'function' ? to(row) : to);
      rows = rows.map((row) => (which(row) ? { ...row, ...changed(row) } : row));
    },
  };
}

/** Keeps the prices and tokens of calls, and which rows of the book are counted already. */
function createCharges(book: RowBook) {
  /** The index in the rows of the first row that is not counted yet. */
  let counted = 0;
  let tokens: readonly ProviderCounts[] = [];
  const prices = new Map<number, CallPrices>();
  const ids = new Map<number, string>();
  return {
    /** The prices of each call. */
    prices,
    /** The ids of the calls in the invoices of their services. */
    ids,
    addTokens(maker: Maker, count: number): void {
      tokens = [...tokens, { ...NO_COUNTS, ...makerOf(maker), tokens: count }];
    },
    hasUncounted: () => counted < book.rows().length,
    /** Returns the counts of the outputs, costs and tokens that are not counted yet. */
    uncounted(): readonly ProviderCounts[] {
      const rows = book.rows().slice(counted);
      return [...countPaid(rows), ...countCosts(rows, prices), ...tokens];
    },
    /** Returns the calls that are not counted yet and whose id in the invoice is known. */
    billedCalls(): readonly BilledCall[] {
      const byCall = Map.groupBy(book.rows().slice(counted), ({ call }) => call);
      return [...byCall].flatMap(([call, own]) => {
        const [id, first] = [ids.get(call), own[0]];
        if (id === undefined || first === undefined) return [];
        return [{ ...makerOf(first), id, ...costsOfCall(own, prices.get(call) ?? UNPRICED) }];
      });
    },
    /** Marks everything as counted. */
    setCounted(): void {
      counted = book.rows().length;
      tokens = [];
    },
    /** Returns the costs of all calls. */
    costs: () => countCosts(book.rows(), prices),
  };
}

interface CallDeps {
  readonly book: RowBook;
  readonly open: Account['open'];
  readonly tickets: ReturnType<typeof createTickets>;
  readonly charges: Pick<ReturnType<typeof createCharges>, 'prices' | 'ids' | 'addTokens'>;
}

/** The charges that a reply reports. */
type Charges = Pick<ProviderResult, 'usage' | 'cost' | 'billed'>;

export type LedgerCall = ReturnType<typeof createLedgerCall>;

/** Returns the functions that record events of one provider call in its rows. */
function createLedgerCall(
  { book, open, tickets, charges }: CallDeps,
  facts: CallFacts,
  indices: readonly number[],
) {
  const { call } = facts;
  let began = false;
  let isSent = false;
  const pricesOf = () => charges.prices.get(call) ?? UNPRICED;
  const isOfCall = (row: LedgerRow) => row.call === call;
  const isOf = (index: number) => (row: LedgerRow) => isOfCall(row) && row.index === index;
  // If the call continues a call of an ended process, that process may have published some of its images.
  const isWaiting = (row: LedgerRow) => isOfCall(row) && row.progress !== 'published';
  const own = () => book.rows().filter(isOfCall);

  function replied(
    images: number,
    { usage, cost, billed }: Charges,
    progress: 'ended' | 'lost' | 'unusable',
  ): void {
    for (const [position, index] of indices.entries()) {
      const isMade = position < images;
      book.change(
        (row) => isWaiting(row) && row.index === index,
        isMade ? { progress, paid: 'yes' } : { progress: 'ended', paid: 'unknown' },
      );
    }
    const more = Math.max(0, images - indices.length);
    const surplus = { ...newRow(facts, undefined), progress: 'unusable', paid: 'yes' } as const;
    book.add(Array.from({ length: more }, () => surplus));
    const tokens = usage && tokensOf(usage);
    if (tokens !== undefined) charges.addTokens(facts, tokens);
    const { costOf } = pricesOf();
    charges.prices.set(call, { costOf, replied: costOf({ images, usage, cost, billed }) });
  }

  return {
    /** Records the call durably, so that it may be sent. Throws as `Account.open` does. */
    open: (): Promise<void> => open({ call, ...makerOf(facts), indices }, pricesOf().spend),
    /** Begins a try. Must be called before each try. */
    beginTry(): void {
      began = false;
      isSent = false;
    },
    /** Marks the current try as sent: from now on, the try may have an effect. */
    sent(): void {
      isSent = true;
      book.change(isWaiting, { progress: 'sent', paid: 'unknown' });
    },
    /** Stores the ticket of the call. Resolves with false if the call cannot continue in another process. Never rejects. */
    accepted: (accepted: Omit<AcceptedCall, 'call'>): Promise<boolean> =>
      tickets.store({ call, ...accepted }),
    /** Records the id under which the service bills the call. */
    billedAs: (id: string): void => void charges.ids.set(call, id),
    /** Deletes the ticket of the call before the call is sent again. Throws `overloaded`. */
    withdrawTicket: (): Promise<void> => tickets.withdraw(call),
    /** Records that the provider has sent a part of its output. */
    outputBegan(): void {
      began = true;
    },
    /** Returns true if this try or an earlier try was sent. */
    wasSent: () => own().some(({ progress }) => progress !== 'not_sent'),
    /** Returns true if the current try was sent. */
    isSent: () => isSent,
    /**
     * Ends the current try with a failure. If the provider returned a wrong number of images (`details.returned_images`), the
     * returned images are paid for, and the other outputs may be paid for.
     */
    failed(failure: BridgeError): void {
      const images = failure.details['returned_images'];
      if (typeof images === 'number') replied(images, {}, 'unusable');
      else fail(book, { isOfCall, failure, began });
    },
    /** Ends the call with a reply. `images` is the number of returned images, which can differ from the requested number. */
    replied: (images: number, charges: Charges = {}): void => replied(images, charges, 'ended'),
    /** Ends the call with a reply that arrived after the call was stopped. The images of the reply are lost. */
    repliedLate: (images: number, charges: Charges = {}): void => replied(images, charges, 'lost'),
    /** Returns the cost of the call, and the number of its outputs whose cost is unknown. */
    costs: () => costsOfCall(own(), pricesOf()),
    verified: (index: number): void => book.change(isOf(index), { progress: 'verified' }),
    published: (index: number): void => book.change(isOf(index), { progress: 'published' }),
    /** Discards an image that is invalid, does not meet the request, or could not be verified or published. */
    discarded(index: number, { code }: BridgeError): void {
      // With any other error, the verification was stopped or failed in the bridge, so the image might have been usable.
      const isFaultOfImage = code === 'protocol' || code === 'upstream';
      book.change(isOf(index), ({ progress }) => {
        return { progress: progress === 'ended' && isFaultOfImage ? 'unusable' : 'lost' };
      });
    },
    /** Returns true if the call may be retried. */
    mayRepeat: () => mayRepeat(own()),
    /** Records and returns the failure of one output. The failure is not retryable if the output may be charged. */
    restricted(error: BridgeError, index: number): BridgeError {
      // The same output may have been paid for on an earlier route.
      const failure = restricted(error, book.ofOutput(index));
      book.change(isOf(index), { failure });
      return failure;
    },
  };
}

interface FailedTry {
  readonly isOfCall: (row: LedgerRow) => boolean;
  readonly failure: BridgeError;
  /** True if the provider had sent a part of its output. */
  readonly began: boolean;
}

function fail(book: RowBook, { isOfCall, failure, began }: FailedTry): void {
  const isRunning = (row: LedgerRow) => isOfCall(row) && row.progress === 'sent';
  if (book.rows().some(isRunning)) {
    const paid = paidAfter(failure, began);
    const progress = paid === 'yes' ? 'unusable' : 'ended';
    book.change(isRunning, { progress, paid, failure });
    return;
  }
  // A call that was not sent had no effect, unless the provider reports an effect.
  const paid = failure.effect === undefined ? 'no' : paidAfter(failure, began);
  book.change(
    (row) => isOfCall(row) && row.paid === 'no',
    paid === 'no' ? { failure } : { progress: 'ended', paid, failure },
  );
}

function tokensOf({ total_tokens, input_tokens, output_tokens }: Usage): number | undefined {
  if (total_tokens !== undefined) return total_tokens;
  if (input_tokens === undefined && output_tokens === undefined) return undefined;
  return (input_tokens ?? 0) + (output_tokens ?? 0);
}
