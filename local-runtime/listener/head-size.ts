import type { IncomingMessage } from 'node:http';

/**
 * The approximate bytes of a request's head as it was sent. Node counts neither separators nor line ends, so ten thousand
 * headers of one letter would pass its limit.
 */
export function headBytes({ rawHeaders, method = '', url = '' }: IncomingMessage): number {
  let bytes = method.length + url.length + ' HTTP/1.1\r\n\r\n'.length + 1;
  // Names and values alternate. Each is followed by two bytes: a colon and a space, or the end of the line.
  for (const part of rawHeaders) bytes += part.length + 2;
  return bytes;
}
