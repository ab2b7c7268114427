import type { IncomingMessage } from 'node:http';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { headBytes } from '../listener/head-size.ts';

// More than a bridge takes, so that the bridge decides.
export const MAX_HEAD_BYTES = 65_536;

/** Why a request cannot be forwarded as it is; undefined when it can. */
export function refusalOfHead(
  incoming: IncomingMessage,
  maxBodyBytes: number,
): BridgeError | undefined {
  const { rawHeaders, headers, url = '' } = incoming;
  if (headBytes(incoming) > MAX_HEAD_BYTES) {
    return new BridgeError('header_too_large', 'the request head is too long');
  }
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  // A library would write the slot's own address there, and the slot would take that for the client's.
  if (hosts.length !== 1 || headers.host === '') {
    return new BridgeError('malformed_request', 'there must be one Host header');
  }
  if (!/^(\/|https?:\/\/)/.test(url)) {
    return new BridgeError('malformed_request', 'the request target is not a path');
  }
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return bodyTooLarge();
  return undefined;
}

export function bodyTooLarge(): BridgeError {
  return new BridgeError('body_too_large', 'the body is longer than the gateway forwards');
}
