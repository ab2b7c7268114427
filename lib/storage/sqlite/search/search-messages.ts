import type { BridgeErrorOptions } from '../../../errors/bridge-error.ts';
import type { ErrorCode } from '../../../errors/codes.ts';
import type { SearchRequest } from './find-jobs.ts';

/** The files that the thread is started with. */
export interface SearchFiles {
  readonly stateFile: string;
  readonly indexFile: string;
}

/** A message to the thread. */
export type SearchCommand =
  | { readonly kind: 'find'; readonly id: number; readonly request: SearchRequest }
  | { readonly kind: 'forget'; readonly id: number }
  | { readonly kind: 'added' }
  | { readonly kind: 'removed'; readonly blocks: readonly number[] }
  | { readonly kind: 'close' };

/** A failed update of the index, with the fields of its error, because an error itself cannot be sent between threads. */
export interface IndexFailure {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: unknown;
}

/** The reply to `find`: at most one sequence more than the limit, or the error. */
export type SearchReply = { readonly id: number } & (
  | { readonly sequences: readonly number[] }
  | {
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: NonNullable<BridgeErrorOptions['details']>;
    }
);
