import type { Settlement } from './usage-store-port.ts';

/** How a request for images has ended. */
export interface ChargedOutcome extends Pick<Settlement, 'images' | 'failed' | 'tokens'> {
  /** Undefined where none was chosen. */
  readonly provider: string | undefined;
  /** The images that were made, or of which that is not certain: the others are given back. */
  readonly perhapsMade: number;
}

/** What one request for images counts against. */
export interface Charge {
  /** To be called once, before anything is made. Throws `rate_limited` when the allowance does not suffice, `overloaded`. */
  reserve(images: number): Promise<void>;
  /** To be called once. Does nothing when nothing was reserved. Never rejects. */
  settle(outcome: ChargedOutcome): Promise<void>;
}
