import { LRUCache } from 'lru-cache';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRecord } from './artifact-store-port.ts';

interface Deps {
  readonly files: Pick<ArtifactFiles, 'stamp'>;
  /** `artifacts.cache_bytes`. */
  readonly maxBytes: number;
}

/** Bytes that were verified, with their checksum. They are shared: do not change them. */
export interface VerifiedBytes {
  readonly bytes: Buffer;
  /** Of these bytes, lowercase hexadecimal. */
  readonly sha256: string;
}

// Two strings each: some megabytes at most.
const REMEMBERED_STAMPS = 20_000;
// Keys and table entries: many small thumbnails stay below the limit too.
const ENTRY_BYTES = 512;

/**
 * Keeps in memory what was verified of artifacts: their own bytes, and others that were made of them, each `kind` once.
 * The least recently used go first.
 */
export function createVerifiedCache({ files, maxBytes }: Deps) {
  // Apart from the stamps, because equal images under several names are worth keeping once.
  const entries = new LRUCache<string, VerifiedBytes>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ bytes }) => bytes.byteLength + ENTRY_BYTES,
  });
  const stamps = new LRUCache<string, string>({ max: REMEMBERED_STAMPS });

  return {
    /** Undefined unless the artifact's file is what it was when it was verified (contract.md 6). */
    async find(record: ArtifactRecord, kind: string): Promise<VerifiedBytes | undefined> {
      const entry = entries.get(keyOf(record, kind));
      const stamp = stamps.get(record.id);
      if (entry === undefined || stamp === undefined) return undefined;
      return (await files.stamp(record.name)) === stamp ? entry : undefined;
    },

    /** Notes that the file was verified in the state that `stamp` names. Nothing is believed later without a stamp. */
    keep(
      record: ArtifactRecord,
      kind: string,
      entry: VerifiedBytes,
      stamp: string | undefined,
    ): void {
      entries.set(keyOf(record, kind), entry);
      if (stamp !== undefined) stamps.set(record.id, stamp);
    },

    /** Frees what these artifacts hold; an equal image under another name is verified again. */
    forget(records: readonly ArtifactRecord[]): void {
      const removed = new Set(records.map(({ sha256 }) => sha256));
      for (const { id } of records) stamps.delete(id);
      for (const key of entries.keys()) if (removed.has(checksumOf(key))) entries.delete(key);
    },
  };
}

function keyOf({ sha256 }: ArtifactRecord, kind: string): string {
  return `${sha256} ${kind}`;
}

function checksumOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}
