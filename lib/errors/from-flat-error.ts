import { BridgeError } from './bridge-error.ts';
import { type BridgeCode, ERRORS, type ErrorCode } from './codes.ts';
import type { FlatError } from './error-body.ts';
import { GENERATION_ERRORS } from './generation-errors.ts';

/** As it was stored: what is absent may also be undefined. */
interface KeptError extends Omit<FlatError, 'provider' | 'upstream_request_id' | 'details'> {
  readonly details: Readonly<Record<string, unknown>>;
  readonly provider?: string | undefined;
  readonly upstream_request_id?: string | undefined;
}

/** The failure of a generation that is known in its flat form only. */
export function fromFlatError({ code, message, suggestions, ...flat }: KeptError): BridgeError {
  const { retryable, provider, upstream_request_id: upstreamRequestId } = flat;
  // They were the details of a `BridgeError`, and have been JSON since.
  const details = flat.details as BridgeError['details'];
  return new BridgeError(codeOf(code, suggestions), message, {
    retryable,
    details,
    ...(provider === undefined ? {} : { provider }),
    ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }),
  });
}

/** Several errors share a `bridge_ext.code`; their suggestions differ. */
function codeOf(bridge: BridgeCode, suggestions: readonly string[]): ErrorCode {
  const codes = GENERATION_ERRORS.filter((code) => ERRORS[code].bridge === bridge);
  const [first] = suggestions;
  return codes.find((code) => ERRORS[code].suggestions[0] === first) ?? codes[0] ?? 'internal';
}
