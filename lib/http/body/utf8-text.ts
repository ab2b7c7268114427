import { isAscii, isUtf8 } from 'node:buffer';
import { BridgeError } from '../../errors/bridge-error.ts';

/** Decodes UTF-8. Throws `malformed_request` if the bytes are not valid UTF-8; `what` names them in the message. */
export function toText(bytes: Buffer, what: string): string {
  // Nearly every request is ASCII, which is ten times cheaper to decode.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new BridgeError('malformed_request', `${what} is not valid UTF-8`);
  return bytes.toString('utf8');
}

/**
 * Decodes a header value, in which Node represents each byte as one character, as UTF-8. Returns undefined if the bytes are
 * not valid UTF-8.
 */
export function headerText(value: string): string | undefined {
  const bytes = Buffer.from(value, 'latin1');
  if (isAscii(bytes)) return value;
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
