/** The same bytes without Buffer's `toJSON`, which would spell out every byte before anything could stop it. */
export function plainBytes(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
