import type { ErrorCode } from './codes.ts';

/**
 * The effect of a failed call at its provider.
 *
 * - `not_begun`: the provider has begun nothing. It was not reached, or it refused before any work (401, 403, 429, 503).
 * - `nothing_made`: the provider refused or failed, and certainly made no image and charged for none.
 * - `made`: the provider made images, which are paid for and cannot be used.
 * - `unknown`: images may have been made, and may be paid for.
 */
export type CallEffect = 'not_begun' | 'nothing_made' | 'made' | 'unknown';

/** The effect of a failure whose thrower states none; a code without a row has begun nothing. */
const BY_CODE: { readonly [C in ErrorCode]?: CallEffect } = {
  refused_by_provider: 'nothing_made',
  input: 'nothing_made',
  unsupported_capability: 'nothing_made',
  safety_rejected: 'nothing_made',
  upstream: 'nothing_made',
  // A reply came, and its images cannot be used.
  protocol: 'made',
  artifact: 'made',
  timeout: 'unknown',
  cancelled: 'unknown',
  internal: 'unknown',
};

/** Returns the effect of a dispatched call that failed with this error: the stated effect, else the usual one of its code. */
export function effectOf({
  code,
  effect,
}: {
  readonly code: ErrorCode;
  readonly effect: CallEffect | undefined;
}): CallEffect {
  return effect ?? BY_CODE[code] ?? 'not_begun';
}

/** True if a call with this effect is paid for, or may be. The same request must not be repeated automatically then. */
export function isPerhapsPaid(effect: CallEffect | undefined): boolean {
  return effect === 'made' || effect === 'unknown';
}
