import type { BridgeErrorOptions } from '../../../errors/bridge-error.ts';
import type { ErrorCode } from '../../../errors/codes.ts';
import type { SearchRequest } from './find-jobs.ts';

/** What the thread is started with. */
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

/** An update of the index has failed: what was thrown, which does not cross threads as it is. */
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
