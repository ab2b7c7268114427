import { BridgeError } from './bridge-error.ts';
import { type BridgeCode, ERRORS, type ErrorCode } from './codes.ts';
import type { FlatError } from './error-body.ts';
import { GENERATION_ERRORS } from './generation-errors.ts';

/** A stored `FlatError`, whose absent members may be undefined. */
interface KeptError extends Omit<FlatError, 'provider' | 'upstream_request_id' | 'details'> {
  readonly details: Readonly<Record<string, unknown>>;
  readonly provider?: string | undefined;
  readonly upstream_request_id?: string | undefined;
}

/** Restores the error of a generation from its flat form. */
export function fromFlatError({ code, message, suggestions, ...flat }: KeptError): BridgeError {
  const { retryable, provider, upstream_request_id: upstreamRequestId } = flat;
  // The cast is safe because the stored details are those of a `BridgeError` as JSON.
  const details = flat.details as BridgeError['details'];
  return new BridgeError(codeOf(code, suggestions), message, {
    retryable,
    details,
    ...(provider === undefined ? {} : { provider }),
    ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
  });
}

/** Returns the error code. The first suggestion decides between codes that share a `bridge_ext.code`. */
function codeOf(bridge: BridgeCode, suggestions: readonly string[]): ErrorCode {
  const codes = GENERATION_ERRORS.filter((code) => ERRORS[code].bridge === bridge);
  const [first] = suggestions;
  return codes.find((code) => ERRORS[code].suggestions[0] === first) ?? codes[0] ?? 'internal';
}
