/** Returns a random id of 32 hexadecimal digits. Browsers offer `crypto.randomUUID` only to pages on https or loopback. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
