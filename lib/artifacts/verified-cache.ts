import { LRUCache } from 'lru-cache';
import type { StoredImageFile, VerifiedBytes } from './image-delivery-port.ts';

interface Deps {
  /** `artifacts.cache_bytes`. */
  readonly maxBytes: number;
}

type Identity = Pick<StoredImageFile, 'key' | 'sha256'>;

// Two strings each: some megabytes at most.
const REMEMBERED_STAMPS = 20_000;
// Keys and table entries: many small thumbnails stay below the limit too.
const ENTRY_BYTES = 512;

/**
 * Keeps in memory what was verified of stored images: their own bytes, and others that were made of them, each `kind` once.
 * The least recently used go first.
 */
export function createVerifiedCache({ maxBytes }: Deps) {
  // Apart from the stamps, because equal images under several names are worth keeping once.
  const entries = new LRUCache<string, VerifiedBytes>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ bytes }) => bytes.byteLength + ENTRY_BYTES,
  });
  const stamps = new LRUCache<string, string>({ max: REMEMBERED_STAMPS });

  return {
    /** Undefined unless the file is what it was when it was verified (contract.md 6). */
    async find(file: StoredImageFile, kind: string): Promise<VerifiedBytes | undefined> {
      const entry = entries.get(keyOf(file, kind));
      const stamp = stamps.get(file.key);
      if (entry === undefined || stamp === undefined) return undefined;
      return (await file.stamp()) === stamp ? entry : undefined;
    },

    /** Notes that the file was verified in the state that `stamp` names. Nothing is believed later without a stamp. */
    keep(file: Identity, kind: string, entry: VerifiedBytes, stamp: string | undefined): void {
      entries.set(keyOf(file, kind), entry);
      if (stamp !== undefined) stamps.set(file.key, stamp);
    },

    /** Frees what these files hold; an equal image under another name is verified again. */
    forget(files: readonly Identity[]): void {
      const removed = new Set(files.map(({ sha256 }) => sha256));
      for (const { key } of files) stamps.delete(key);
      for (const key of entries.keys()) if (removed.has(checksumOf(key))) entries.delete(key);
    },
  };
}

function keyOf({ sha256 }: Identity, kind: string): string {
  return `${sha256} ${kind}`;
}

function checksumOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
