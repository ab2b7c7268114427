/**
 * Images of jobs, each kept once under the SHA-256 of its bytes, in lowercase hexadecimal. Nothing here knows who
 * needs them; and while something is put or removed, nobody may put or remove the same: `stored-inputs.ts` sees to both.
 */
export interface StoredInputFiles {
  /** Has the bytes durably, whether they were there or not. Throws `overloaded` when they cannot be kept. */
  put(sha256: string, bytes: Buffer): Promise<void>;
  /** The bytes; undefined unless exactly as many are there and have this checksum. */
  read(sha256: string, byteLength: number): Promise<Buffer | undefined>;
  /** Leaves nothing of them, not even what a `put` that was cut off has left. */
  remove(sha256: string): Promise<void>;
  /** The checksums of all that is there, whole or not, in batches; none of them twice in one batch. */
  list(): AsyncIterable<readonly string[]>;
}
