import type { ErrorCode } from './codes.ts';

/**
 * The effect of a failed call at its provider.
 *
 * - `not_begun`: the provider was not reached, or rejected the call before any work (401, 403, 429, 503).
 * - `nothing_made`: the provider rejected the call or failed, and certainly made and charged no image.
 * - `made`: the provider made and charged images that cannot be used.
 * - `unknown`: the provider may have made and charged images.
 */
export type CallEffect = 'not_begun' | 'nothing_made' | 'made' | 'unknown';

/** Default effects by error code. A code without a row means `not_begun`. */
const BY_CODE: { readonly [C in ErrorCode]?: CallEffect } = {
  refused_by_provider: 'nothing_made',
  input: 'nothing_made',
  unsupported_capability: 'nothing_made',
  safety_rejected: 'nothing_made',
  upstream: 'nothing_made',
  // The provider replied, but the images of the reply cannot be used.
  protocol: 'made',
  artifact: 'made',
  timeout: 'unknown',
  cancelled: 'unknown',
  internal: 'unknown',
};

/** Returns the effect of a dispatched call that failed with this error: the effect of the error, else the default of its code. */
export function effectOf(error: { code: ErrorCode; effect: CallEffect | undefined }): CallEffect {
  return error.effect ?? BY_CODE[error.code] ?? 'not_begun';
}

/** Returns true if a call may have been charged. Such a call must not be repeated automatically. */
export function isPerhapsPaid(effect: CallEffect | undefined): boolean {
  return effect === 'made' || effect === 'unknown';
}
