import type { Usage } from '../../contract/reply/image-response.ts';
import type { Routing } from '../../contract/request/routing.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import { MAX_TICKET_BYTES } from '../../providers/provider-port.ts';
import type { AcceptedCall, OpenCall, ProviderCounts, Settlement } from './ledger-store-port.ts';
import {
  countFailed,
  countPaid,
  type LedgerRow,
  mayFallBack,
  mayRepeat,
  NOTHING,
  paidAfter,
  restricted,
  sumByProvider,
} from './rows.ts';

/** The durable account of one request. */
export interface Account {
  /**
   * Reserves the outputs of the request. Must be called once. Throws `rate_limited` if the allowance is too small, and
   * `overloaded`.
   */
  reserve(outputs: number): Promise<void>;
  /** Resolves once the call is recorded durably, so that it may be sent. Throws `overloaded`. */
  open(call: OpenCall): Promise<void>;
  /**
   * Stores the ticket of an open call. Resolves with true if another process can continue the call. Resolves with false if the
   * account ends with this process. Throws `overloaded`.
   */
  accept(call: AcceptedCall): Promise<boolean>;
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
 * Keeps the ledger of one request: one row for each output of each provider call. Every decision that depends on which images
 * were made and paid for is a function of the rows (`rows.ts`). `account` stores the durable part.
 */
export function createLedger(account: Account, outputs: number) {
  const book = createRowBook();
  /** The index in the rows of the first row that is not counted yet. */
  let counted = 0;
  let renewals = 0;
  let calls = 0;
  let route = -1;
  let lastProvider = '';
  let isReserved = false;
  let tokens: readonly ProviderCounts[] = [];

  return {
    /** Reserves all outputs. Must be called once. Throws `rate_limited` if the allowance is too small, and `overloaded`. */
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
      const deps = { book, account, onTokens };
      return createLedgerCall(deps, { call, route, provider }, indices);
    },

    /** Returns the failure of the current route. The failure is not retryable if an output of this route may be charged. */
    restrictedOnRoute(error: BridgeError): BridgeError {
      const own = book.rows().filter((row) => row.route === route);
      return restricted(error, own);
    },

    /** Returns the failure of the request. The failure is not retryable if an output of any route may be charged. */
    restricted: (error: BridgeError): BridgeError => restricted(error, book.rows()),

    /**
     * Resolves with true if the next route may be tried after the current route has failed. Reserves the outputs for the next
     * route. The images of the current route stay paid for, so the allowance may be too small for another route.
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
      const failed = countFailed(book.rows(), { outputs, lastProvider });
      const paid = countPaid(book.rows().slice(counted));
      return { renewals, counts: sumByProvider([...paid, ...tokens, ...failed]) };
    },

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

/** Creates the book of the rows of all calls of one request. */
function createRowBook() {
  let rows: readonly LedgerRow[] = [];
  return {
    rows: () => rows,
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

interface CallDeps {
  readonly book: RowBook;
  readonly account: Pick<Account, 'open' | 'accept'>;
  /** Called with the number of tokens that a reply reports. */
  readonly onTokens: (tokens: number) => void;
}

export type LedgerCall = ReturnType<typeof createLedgerCall>;

/** Adds the rows of one provider call to the book. Returns the functions that record events of the call in its rows. */
function createLedgerCall(
  { book, account, onTokens }: CallDeps,
  facts: Pick<LedgerRow, 'call' | 'route' | 'provider'>,
  indices: readonly number[],
) {
  const { call, provider } = facts;
  let began = false;
  let isSent = false;
  const isOfCall = (row: LedgerRow) => row.call === call;
  const isOf = (index: number) => (row: LedgerRow) => isOfCall(row) && row.index === index;
  const own = () => book.rows().filter(isOfCall);
  const newRow = (index: number | undefined): LedgerRow => {
    return { ...facts, index, progress: 'not_sent', paid: 'no' };
  };
  book.add(indices.map(newRow));

  function replied(
    images: number,
    usage: Usage | undefined,
    progress: 'ended' | 'lost' | 'unusable',
  ): void {
    for (const [position, index] of indices.entries()) {
      const isMade = position < images;
      book.change(
        isOf(index),
        isMade ? { progress, paid: 'yes' } : { progress: 'ended', paid: 'unknown' },
      );
    }
    const surplus = Array.from({ length: Math.max(0, images - indices.length) }, () => ({
      ...newRow(undefined),
      progress: 'unusable' as const,
      paid: 'yes' as const,
    }));
    book.add(surplus);
    const tokens = usage && tokensOf(usage);
    if (tokens !== undefined) onTokens(tokens);
  }

  return {
    /** Records the call durably, so that it may be sent. Throws `overloaded`. */
    open: () => account.open({ call, provider, indices }),
    /** Begins a try. Must be called before each try. */
    beginTry(): void {
      began = false;
      isSent = false;
    },
    /** Marks the current try as sent: from now on, the try may have an effect. */
    sent(): void {
      isSent = true;
      book.change(isOfCall, { progress: 'sent', paid: 'unknown' });
    },
    /** Stores the ticket of the call. Resolves with false if the call cannot continue in another process. Never rejects. */
    async accepted({ model, ticket }: Omit<AcceptedCall, 'call'>): Promise<boolean> {
      if (Buffer.byteLength(ticket) > MAX_TICKET_BYTES) return false;
      // The task may already be paid for, so the call must go on without its ticket.
      return account.accept({ call, model, ticket }).catch(() => false);
    },
    /** Records that the provider has sent a part of its output. */
    outputBegan(): void {
      began = true;
    },
    /** Returns true if this try or an earlier try was sent. */
    wasSent: () => own().some(({ progress }) => progress !== 'not_sent'),
    /** Returns true if the current try was sent. */
    isSent: () => isSent,
    /**
     * Ends the current try with a failure. If the provider returned a wrong number of images (`details.returned_images`), only the
     * returned images are paid for.
     */
    failed(failure: BridgeError): void {
      const images = failure.details['returned_images'];
      if (typeof images === 'number') replied(images, undefined, 'unusable');
      else fail(book, { isOfCall, failure, began });
    },
    /** Ends the call with a reply. `images` is the number of returned images, which may differ from the requested number. */
    replied: (images: number, usage: Usage | undefined): void => replied(images, usage, 'ended'),
    /** Ends the call with a reply that arrived after the call was stopped. The images of the reply are lost. */
    repliedLate: (images: number, usage: Usage | undefined): void => replied(images, usage, 'lost'),
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
