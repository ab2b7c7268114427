import type { FileContent } from '../artifacts/artifact-files-port.ts';

/**
 * Images of jobs, each stored once under the SHA-256 of its bytes, in lowercase hexadecimal. The caller knows which jobs need
 * them, and never puts and removes the same image concurrently: see `stored-inputs.ts`.
 */
export interface StoredInputFiles {
  /** Stores the bytes durably, unless they are stored already. Throws `overloaded` if that fails. */
  put(sha256: string, bytes: Buffer): Promise<void>;
  /** The bytes; undefined unless they have this length and checksum. */
  read(sha256: string, byteLength: number): Promise<Buffer | undefined>;
  /** The bytes, whatever their checksum; undefined unless there are this many of them. */
  readWhole(sha256: string, byteLength: number): Promise<FileContent | undefined>;
  /** Changes whenever the file is changed or replaced; undefined when there is none. Costs no reading. */
  stamp(sha256: string): Promise<string | undefined>;
  /** Removes them, and also what an interrupted `put` has left. */
  remove(sha256: string): Promise<void>;
  /** The checksums of all stored images, complete or not, in batches; none of them twice in one batch. */
  list(): AsyncIterable<readonly string[]>;
}
