import type { Account, Caller } from '../contract/request/caller.ts';

/** One `[[token]]` of the tokens file. Only the digest of the token is stored, never the token itself. */
export interface Token extends Caller {
  /** The SHA-256 of the token, in lowercase hexadecimal. */
  readonly sha256: string;
  readonly disabled: boolean;
  /**
   * The time at which the token was permanently removed. The row is kept for some time, so that the bridge can end the queued
   * and running work of the token.
   */
  readonly removedSecs?: number;
}

/** The tokens of `server.tokens_file` by id. Every function uses the current content of the file. */
export interface NamedTokens {
  /** Returns the name of a token, even of a removed token, or undefined if the file does not list the token. */
  nameOf(id: string): string | undefined;
  /** Returns the limits of a token, its name, and the time of its removal, or undefined if the file does not list the token. */
  accountOf(id: string): (Account & Pick<Token, 'name' | 'removedSecs'>) | undefined;
  /** Returns the ids of the permanently removed tokens. A token that is missing from the file is not included. */
  removed(): readonly string[];
  /**
   * Calls `onRemoval` once: immediately if the token is already removed, or within seconds after its removal. Returns a
   * function that ends the watch.
   */
  watchRemoval(id: string, onRemoval: () => void): () => void;
}

/** Used if the settings do not name a tokens file. */
export const NO_TOKENS: NamedTokens = {
  nameOf: () => undefined,
  accountOf: () => undefined,
  removed: () => [],
  watchRemoval: () => () => {},
};
