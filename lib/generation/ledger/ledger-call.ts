import type { Usage } from '../../contract/reply/image-response.ts';
import type { BridgeError } from '../../errors/bridge-error.ts';
import type { OpenCall } from './ledger-store-port.ts';
import { type LedgerRow, mayRepeat, paidAfter, restricted } from './rows.ts';

/** The rows of one provider call, and the events that change them. */
export interface LedgerCall {
  /** Makes it durable that the call may be sent. Throws `overloaded`. */
  open(): Promise<void>;
  /** To be called before each try. */
  beginTry(): void;
  /** The current try may have an effect from now on. */
  sent(): void;
  /** The provider has shown a part of its output. */
  outputBegan(): void;
  /** True if this try or an earlier one was sent. */
  wasSent(): boolean;
  /** True if the current try was sent. */
  isSent(): boolean;
  /** The current try has failed. */
  failed(error: BridgeError): void;
  /** The call has replied with so many images, which may be more or fewer than it was asked for. */
  replied(images: number, usage: Usage | undefined): void;
  /** The same after the call was stopped: the images are lost. */
  repliedLate(images: number, usage: Usage | undefined): void;
  verified(index: number): void;
  published(index: number): void;
  /** The image does not verify, is not what was asked for, or could not be verified or published. */
  discarded(index: number, reason: BridgeError): void;
  /** True if the call may be tried again. */
  mayRepeat(): boolean;
  /** Returns the failure of one output, as its rows allow it. */
  restricted(error: BridgeError, index: number): BridgeError;
}

/** The rows of all calls of one request. */
export interface RowBook {
  readonly rows: () => readonly LedgerRow[];
  /** The rows of one output on all routes. */
  readonly ofOutput: (index: number) => readonly LedgerRow[];
  readonly add: (rows: readonly LedgerRow[]) => void;
  readonly change: (
    which: (row: LedgerRow) => boolean,
    to: Partial<LedgerRow> | ((row: LedgerRow) => Partial<LedgerRow>),
  ) => void;
}

/** Creates a book without rows. */
export function createRowBook(): RowBook {
  let rows: readonly LedgerRow[] = [];
  return {
    rows: () => rows,
    ofOutput: (index) => rows.filter((row) => row.index === index),
    add(more) {
      rows = [...rows, ...more];
    },
    change(which, to) {
      const changed = (row: LedgerRow) => (typeof to === 'function' ? to(row) : to);
      rows = rows.map((row) => (which(row) ? { ...row, ...changed(row) } : row));
    },
  };
}

interface CallDeps {
  readonly book: RowBook;
  readonly openCall: (call: OpenCall) => Promise<void>;
  /** Called with the tokens of the model that a reply reports. */
  readonly onTokens: (tokens: number) => void;
}

/** Adds the rows of one provider call to the book. */
export function createLedgerCall(
  { book, openCall, onTokens }: CallDeps,
  facts: Pick<LedgerRow, 'call' | 'route' | 'provider'>,
  indices: readonly number[],
): LedgerCall {
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

  function replied(images: number, usage: Usage | undefined, progress: 'ended' | 'lost'): void {
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
    open: () => openCall({ call, provider, indices }),
    beginTry() {
      began = false;
      isSent = false;
    },
    sent() {
      isSent = true;
      book.change(isOfCall, { progress: 'sent', paid: 'unknown' });
    },
    outputBegan() {
      began = true;
    },
    wasSent: () => own().some(({ progress }) => progress !== 'not_sent'),
    isSent: () => isSent,
    failed: (failure) => fail(book, { isOfCall, failure, began }),
    replied: (images, usage) => replied(images, usage, 'ended'),
    repliedLate: (images, usage) => replied(images, usage, 'lost'),
    verified: (index) => book.change(isOf(index), { progress: 'verified' }),
    published: (index) => book.change(isOf(index), { progress: 'published' }),
    discarded(index, reason) {
      book.change(isOf(index), (row) => {
        const isUnusable = row.progress === 'ended' && isFaultOfImage(reason);
        return { progress: isUnusable ? 'unusable' : 'lost' };
      });
    },
    mayRepeat: () => mayRepeat(own()),
    restricted(error, index) {
      // An earlier route may have been paid for the same output.
      const failure = restricted(error, book.ofOutput(index));
      book.change(isOf(index), { failure });
      return failure;
    },
  };
}

/** False if the verification was stopped or failed for a reason of the bridge: the image might have been usable. */
function isFaultOfImage({ code }: BridgeError): boolean {
  return code === 'protocol' || code === 'upstream';
}

interface FailedTry {
  readonly isOfCall: (row: LedgerRow) => boolean;
  readonly failure: BridgeError;
  /** True if the provider had shown a part of its output. */
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
  // A call that was not sent has had no effect, unless its provider states one.
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
