import type { FileContent } from '../artifacts/artifact-files-port.ts';

/**
 * Images of jobs, each stored under the SHA-256 of its bytes in lowercase hexadecimal. The caller knows which jobs need an image,
 * and never calls `put` and `remove` for the same image concurrently in one process (see `stored-inputs.ts`).
 */
export interface StoredInputFiles {
  /**
   * True if several processes use the images. In this case, `remove` keeps what was stored in the last ten minutes, because another
   * process may be accepting a job with the image, and a later call must remove it.
   */
  readonly isShared: boolean;
  /** Stores the bytes durably, unless they are stored already. Throws `overloaded` if the write fails. */
  put(sha256: string, bytes: Buffer): Promise<void>;
  /**
   * Resolves with the bytes of an image. Resolves with undefined if the image is missing, or if its length or checksum differs.
   */
  read(sha256: string, byteLength: number): Promise<Buffer | undefined>;
  /**
   * Resolves with the bytes of an image without checking the checksum. Resolves with undefined if the image is missing or its
   * length differs.
   */
  readWhole(sha256: string, byteLength: number): Promise<FileContent | undefined>;
  /**
   * Resolves with a text that changes whenever the file is changed or replaced. Resolves with undefined if there is no file.
   * Does not read the file.
   */
  stamp(sha256: string): Promise<string | undefined>;
  /**
   * Removes an image, including the remains of an interrupted `put`, unless `isNeeded` resolves with true. Removes
   * only what was stored before the call of `isNeeded`, so that an image that another process stores afterwards is kept.
   */
  remove(sha256: string, isNeeded: () => Promise<boolean>): Promise<void>;
  /** Lists the checksums of all stored images, complete or not, in batches. A batch contains no checksum twice. */
  list(): AsyncIterable<readonly string[]>;
}
