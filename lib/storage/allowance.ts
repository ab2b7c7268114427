import { BridgeError } from '../errors/bridge-error.ts';
import type { Reservation } from '../generation/ledger/ledger-store-port.ts';

/** The allowance of a token on one day. */
export type Allowance = Pick<Reservation, 'allowance'> & Partial<Pick<Reservation, 'retryAfterMs'>>;

/** Throws `rate_limited` if `images` more than the charged images would exceed the allowance. */
export function refuseBeyondAllowance(limit: Allowance, charged: number, images: number): void {
  const { allowance } = limit;
  if (allowance === undefined || images <= 0 || charged + images <= allowance) return;
  throw beyondAllowance(limit, charged);
}

/** Returns the error of a request that the remaining allowance does not permit. */
export function beyondAllowance(
  { allowance = 0, retryAfterMs = 0 }: Allowance,
  charged: number,
): BridgeError {
  return new BridgeError('rate_limited', 'daily image allowance exceeded', {
    details: {
      reason: 'allowance',
      images_per_day: allowance,
      remaining: Math.max(0, allowance - charged),
      retry_after_ms: retryAfterMs,
    },
  });
}
