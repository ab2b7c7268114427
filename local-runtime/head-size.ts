import type { IncomingMessage } from 'node:http';

/**
 * Bytes of a request's head as it was sent, near enough: Node counts neither separators nor line ends, so that ten
 * thousand headers of one letter would pass its own limit.
 */
export function headBytes({ rawHeaders, method = '', url = '' }: IncomingMessage): number {
  let bytes = method.length + url.length + ' HTTP/1.1\r\n\r\n'.length + 1;
  // Names and values alternate: two bytes for the colon and its space or for the line's end, each.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes;
}
