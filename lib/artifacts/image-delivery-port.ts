import type { FileContent } from './artifact-files-port.ts';

/** A stored image, as far as its delivery needs to know it. */
export interface StoredImageFile {
  /** Of this file and of no other, whatever they contain. */
  readonly key: string;
  /** Its owner, who takes turns with others. */
  readonly scope: string;
  /** Of the bytes that were stored, lowercase hexadecimal. */
  readonly sha256: string;
  /** Changes whenever the file is changed or replaced; undefined when there is none. Costs no reading. */
  stamp(): Promise<string | undefined>;
  /** The whole file; undefined when there is none of the stored length. */
  read(): Promise<FileContent | undefined>;
  /** Throws `not_found` when the file was removed because nothing names it any more. */
  refuseRemoved(): Promise<unknown>;
}

/** Bytes that were verified, with their checksum. They are shared: do not change them. */
export interface VerifiedBytes {
  readonly bytes: Buffer;
  /** Of these bytes, lowercase hexadecimal. */
  readonly sha256: string;
}

/**
 * Delivers stored images, and only bytes that were verified (contract.md 6). Throws `artifact` for a file that is missing,
 * changed or damaged, what `refuseRemoved` throws, or the signal's reason.
 */
export interface ImageDelivery {
  /** The whole image. Its file was read, hashed and decoded now, or has not changed since that was done. */
  whole(file: StoredImageFile, signal: AbortSignal): Promise<VerifiedBytes>;
  /** A PNG that fits a square of `edgePx`; the file was verified for it just so. */
  thumbnail(file: StoredImageFile, edgePx: number, signal: AbortSignal): Promise<VerifiedBytes>;
  /** Frees the memory that these files hold. */
  forget(files: readonly Pick<StoredImageFile, 'key' | 'sha256'>[]): void;
}
