/**
 * Frees the memory of a buffer immediately, without garbage collection, unless the buffer shares its memory with others. Nobody may
 * use the bytes after the call.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
