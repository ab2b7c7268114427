import type { Caller } from '../contract/request/caller.ts';

/** One `[[token]]` of the tokens file. The token itself is stored nowhere, only its digest. */
export interface Token extends Caller {
  /** Of the token, in lower-case hexadecimal. */
  readonly sha256: string;
  readonly disabled: boolean;
}
