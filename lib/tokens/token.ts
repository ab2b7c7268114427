import type { Caller } from '../contract/request/caller.ts';

/** One `[[token]]` of the tokens file. The token itself is stored nowhere, only its digest. */
export interface Token extends Caller {
  /** Of the token, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly disabled: boolean;
  /** When it was removed for good. Its row is kept for a while, to end what the token had queued and running. */
  readonly removedSecs?: number;
}

/** The tokens of `server.tokens_file` by their identities, as the file is when a function is called. */
export interface NamedTokens {
  /** The name of a token, which may have been removed; undefined if the file does not list it. */
  nameOf(id: string): string | undefined;
  /** The tokens that were removed for good. A token that is merely missing is not among them. */
  removed(): readonly string[];
  /** Calls `onRemoval` once if the token was removed, or within seconds after its removal. Returns how to end the watch. */
  watchRemoval(id: string, onRemoval: () => void): () => void;
}

/** The tokens where the settings name no file. */
export const NO_TOKENS: NamedTokens = {
  nameOf: () => undefined,
  removed: () => [],
  watchRemoval: () => () => {},
};
