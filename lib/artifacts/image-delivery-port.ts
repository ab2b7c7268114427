import type { FileContent } from './artifact-files-port.ts';

/** The facts and functions of a stored image that its delivery needs. */
export interface StoredImageFile {
  /** Key that identifies the file. Files with equal content have different keys. */
  readonly key: string;
  /** Scope of the owner. Scopes take turns in the use of the decoder. */
  readonly scope: string;
  /** SHA-256 of the bytes that were stored, in lowercase hexadecimal. */
  readonly sha256: string;
  /**
   * Resolves with a text that changes whenever the file is changed or replaced. Resolves with undefined if there is no file.
   * Does not read the file.
   */
  stamp(): Promise<string | undefined>;
  /** Resolves with the whole file, or with undefined if there is no file of the stored length. */
  read(): Promise<FileContent | undefined>;
  /** Throws `not_found` if the record of the file was removed, because this means that the file was removed on purpose. */
  refuseRemoved(): Promise<unknown>;
}

/** Verified bytes with their checksum. The bytes are shared and must not be changed. */
export interface VerifiedBytes {
  readonly bytes: Buffer;
  /** SHA-256 of `bytes` in lowercase hexadecimal. */
  readonly sha256: string;
}

/**
 * Delivers the bytes of stored images after they were verified (docs/contract.md, section 6). Methods throw `artifact` if a
 * file is missing, changed or damaged, the error of `refuseRemoved`, or the reason of the signal.
 */
export interface ImageDelivery {
  /**
   * Resolves with the whole image. The file is read, hashed and decoded, unless the verified bytes are cached and the file is
   * unchanged.
   */
  whole(file: StoredImageFile, signal: AbortSignal): Promise<VerifiedBytes>;
  /**
   * Resolves with a PNG thumbnail that fits in a square of `edgePx` pixels. The file is verified in the same way as for
   * `whole`.
   */
  thumbnail(file: StoredImageFile, edgePx: number, signal: AbortSignal): Promise<VerifiedBytes>;
  /** Removes these files from the cache. */
  forget(files: readonly Pick<StoredImageFile, 'key' | 'sha256'>[]): void;
}
