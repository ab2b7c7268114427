import { LRUCache } from 'lru-cache';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ArtifactFiles, LinkedHeaders } from './artifact-files-port.ts';
import type { ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import type { ImageDelivery, StoredImageFile, VerifiedBytes } from './image-delivery-port.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'find'>;
  readonly files: Pick<ArtifactFiles, 'stamp' | 'read' | 'link'>;
  readonly images: ImageDelivery;
  /** The size above which `link` returns URLs. Without this size, `link` returns none. */
  readonly linkAboveBytes?: number | undefined;
}

/** An artifact with its bytes or the bytes of its thumbnail. */
export interface OpenedArtifact extends VerifiedBytes {
  readonly record: ArtifactRecord;
}

// Each record takes about half a kilobyte.
const REMEMBERED_RECORDS = 10_000;

export type ArtifactDelivery = ReturnType<typeof createArtifactDelivery>;

/**
 * Creates the functions that deliver artifacts to their owners. Records stay in memory until `forget`, so that a cached image
 * is delivered without a query to the store. A published record never changes, and the stamp of the file shows whether the file
 * still exists.
 */
export function createArtifactDelivery({ store, files, images, linkAboveBytes }: Deps) {
  // With `max`, the library would allocate the space of all entries at once, which takes milliseconds of a start.
  const records = new LRUCache<string, ArtifactRecord>({
    maxSize: REMEMBERED_RECORDS,
    sizeCalculation: () => 1,
  });
  let removals = 0;

  async function find(scope: string, id: string): Promise<ArtifactRecord> {
    const known = records.get(id);
    if (known?.scope === scope) return known;
    const before = removals;
    const record = await findStored(scope, id);
    // A record that was removed during the query must not be cached.
    if (before === removals) records.set(id, record);
    return record;
  }

  async function findStored(scope: string, id: string): Promise<ArtifactRecord> {
    // A malformed id is looked up like any other, so that neither the reply nor its timing reveals which ids exist.
    const record = await store.find(scope, id);
    if (record === undefined) throw new BridgeError('not_found', 'artifact not found');
    return record;
  }

  function fileOf({ id, scope, name, bytes, sha256 }: ArtifactRecord): StoredImageFile {
    return {
      key: id,
      scope,
      sha256,
      stamp: () => files.stamp(name),
      read: () => files.read(name, bytes),
      refuseRemoved: () => findStored(scope, id),
    };
  }

  return {
    /**
     * Resolves with the whole artifact. A reply with only a header, a range or "not modified" opens the whole artifact too.
     * Throws `not_found` if the id does not exist in this scope, and `artifact` if the file is missing, changed or damaged.
     * Rejects with the reason of the signal on abort.
     */
    async open(scope: string, id: string, signal: AbortSignal): Promise<OpenedArtifact> {
      signal.throwIfAborted();
      const record = await find(scope, id);
      return { record, ...(await images.whole(fileOf(record), signal)) };
    },

    /**
     * Resolves with a URL from which the client can read the artifact without the bridge, with the headers that `describe`
     * returns. Only the size and the stored checksum of the file are compared with the record. Resolves with undefined if the
     * artifact is too small for a URL, or if `open` has to find out what is wrong with the file. Throws `not_found` as `open` does.
     */
    async link(
      scope: string,
      id: string,
      describe: (record: ArtifactRecord) => LinkedHeaders,
    ): Promise<string | undefined> {
      if (linkAboveBytes === undefined || !files.link) return undefined;
      const record = await find(scope, id);
      if (record.bytes <= linkAboveBytes) return undefined;
      return files.link(record, describe(record));
    },

    /** Resolves with a PNG thumbnail that fits in a square of `edgePx` pixels. Throws the same errors as `open`. */
    async openThumbnail(
      scope: string,
      id: string,
      edgePx: number,
      signal: AbortSignal,
    ): Promise<OpenedArtifact> {
      signal.throwIfAborted();
      const record = await find(scope, id);
      return { record, ...(await images.thumbnail(fileOf(record), edgePx, signal)) };
    },

    /**
     * Removes the records and the images of these artifacts from memory. Must be called after the artifacts were removed from
     * the store.
     */
    forget(removed: readonly ArtifactRecord[]): void {
      removals += 1;
      for (const { id } of removed) records.delete(id);
      images.forget(removed.map(({ id: key, sha256 }) => ({ key, sha256 })));
    },
  };
}
