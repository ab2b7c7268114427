import { isAscii, isUtf8 } from 'node:buffer';
import { BridgeError } from '../../errors/bridge-error.ts';

/** The text of these bytes. Throws `malformed_request` when they are not valid UTF-8; `what` names them. */
export function toText(bytes: Buffer, what: string): string {
  // Nearly every request is ASCII, and as such ten times cheaper to turn into a string.
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw new BridgeError('malformed_request', `${what} is not valid UTF-8`);
  return bytes.toString('utf8');
}

/** The UTF-8 text of a header value, of which Node makes a character for each byte. Undefined when it is not valid. */
export function headerText(value: string): string | undefined {
  const bytes = Buffer.from(value, 'latin1');
  if (isAscii(bytes)) return value;
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
