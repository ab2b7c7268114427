/**
 * The state of the renewal of a login. `running`: a process has the right to use the refresh token. `lost`: a process had this right,
 * and its time ended without a result, so that the refresh token may have been used. `refused`: the token endpoint has rejected the
 * refresh token.
 */
export type RenewalState = 'idle' | 'running' | 'lost' | 'refused';

/** A login as the store keeps it: encrypted, so that a copy of the database contains no tokens. */
export interface SealedLogin {
  /** The number of the login, from 1. Each new login has the next number. */
  readonly version: number;
  readonly sealed: Uint8Array;
  readonly renewal: RenewalState;
}

/**
 * The right to renew the login with this number. `holder` is an id that its process has created for this renewal. The right ends
 * after `HOLD_MS`.
 */
export interface RenewalClaim {
  readonly version: number;
  readonly holder: string;
}

/** Long enough for the token endpoint to answer, and to store the answer. */
export const HOLD_MS = 60_000;

/** Stores the login that all replicas share. Every method is one transaction, and none is open while the token endpoint is called. */
export interface LoginStore {
  /** Resolves with the login, or with undefined if none was stored. Throws `overloaded` if the store cannot be read. */
  find(): Promise<SealedLogin | undefined>;
  /**
   * Stores another login in place of the login with this number, or as the first login if the number is 0. Resolves with false,
   * and changes nothing, if another login is stored.
   */
  replace(version: number, sealed: Uint8Array): Promise<boolean>;
  /**
   * Resolves with true if the caller may now use the refresh token of this login. Only one process may, and only if no other
   * renewal of this login has begun. If the method rejects, the right is released.
   */
  begin(claim: RenewalClaim): Promise<boolean>;
  /** Stores the result of a renewal. A failed write is repeated until it succeeds, also after the method has resolved. */
  finish(claim: RenewalClaim, sealed: Uint8Array): Promise<void>;
  /** Releases the right. `isRefused` is true if the token endpoint has rejected the refresh token. Repeated as `finish` is. */
  giveUp(claim: RenewalClaim, isRefused: boolean): Promise<void>;
  /** Resolves when the login with this number is replaced or its renewal ends. Rejects with the reason of the signal on abort. */
  untilSettled(version: number, signal: AbortSignal): Promise<void>;
}
