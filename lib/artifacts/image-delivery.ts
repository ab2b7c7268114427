import { LRUCache } from 'lru-cache';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine } from '../images/image.ts';
import { type Metrics, silentMetrics } from '../metrics/metrics.ts';
import { createFairSlots } from '../platform/fair-slots.ts';
import type { ImageDelivery, StoredImageFile, VerifiedBytes } from './image-delivery-port.ts';
import { createSharedWork } from './shared-work.ts';

interface Deps {
  readonly engine: Pick<ImageEngine, 'forDelivery'>;
  /** Setting `artifacts.cache_bytes`. */
  readonly cacheBytes: number;
  readonly metrics?: Pick<Metrics, 'artifactVerified'>;
}

/** The checksum of the file, and the bytes to deliver. */
type Verified =
  | { readonly ok: true; readonly sha256: string; readonly content: VerifiedBytes }
  | { readonly ok: false };

interface Kind {
  /** Name of the kind. For one kind, equal files have the same content. */
  readonly name: string;
  /** Verifies all bytes of the file. */
  verify(bytes: Buffer, scope: string, signal: AbortSignal): Promise<Verified>;
}

// The number of files that may be in memory and wait for a decoder. One scope never uses all slots.
const VERIFY_SLOTS = 4;

type Refusal = 'missing_or_resized' | 'changed' | 'undecodable';

/**
 * Creates the functions that deliver all stored images. All images share one cache, and concurrent requests for the same image
 * share one verification.
 */
export function createImageDelivery({
  engine,
  cacheBytes,
  metrics = silentMetrics,
}: Deps): ImageDelivery {
  const cache = createVerifiedCache(cacheBytes);
  const verifications = createSharedWork<VerifiedBytes>();
  const slots = createFairSlots(VERIFY_SLOTS, { file: VERIFY_SLOTS });

  const whole: Kind = {
    name: 'whole',
    async verify(bytes, scope, signal) {
      const inspection = await engine.forDelivery(scope).inspect(bytes, signal);
      return inspection.ok
        ? { ok: true, sha256: inspection.image.sha256, content: inspection.image }
        : inspection;
    },
  };

  function thumbnail(edgePx: number): Kind {
    return {
      name: `thumbnail ${edgePx}`,
      async verify(bytes, scope, signal) {
        const made = await engine.forDelivery(scope).thumbnail(bytes, edgePx, signal);
        return made.ok ? { ok: true, sha256: made.sha256, content: made.image } : made;
      },
    };
  }

  async function open(
    file: StoredImageFile,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<VerifiedBytes> {
    const cached = await cache.find(file, kind.name);
    if (cached) return cached;
    const request = { kind: 'file', owner: file.scope, isLarge: true } as const;
    return verifications.join(`${file.key} ${kind.name}`, signal, (workSignal) =>
      slots.run(request, () => verify(file, kind, workSignal), workSignal),
    );
  }

  async function verify(
    file: StoredImageFile,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<VerifiedBytes> {
    const content = await file.read();
    if (content === undefined) return refuse(file, 'missing_or_resized');
    const verified = await kind.verify(content.bytes, file.scope, signal);
    if (!verified.ok) return refuse(file, 'undecodable');
    if (verified.sha256 !== file.sha256) return refuse(file, 'changed');
    metrics.artifactVerified('succeeded');
    const { bytes, sha256 } = verified.content;
    cache.keep(file, kind.name, { bytes, sha256 }, content.stamp);
    return { bytes, sha256 };
  }

  async function refuse(file: StoredImageFile, reason: Refusal): Promise<never> {
    cache.forget([file]);
    // Retention may have removed the file in the meantime.
    await file.refuseRemoved();
    metrics.artifactVerified('failed');
    throw new BridgeError('artifact', 'stored file is missing, changed or damaged', {
      details: { reason },
    });
  }

  return {
    whole: (file, signal) => open(file, whole, signal),
    thumbnail: (file, edgePx, signal) => open(file, thumbnail(edgePx), signal),
    forget: cache.forget,
  };
}

type Identity = Pick<StoredImageFile, 'key' | 'sha256'>;

// The maximum number of stamps in memory. All stamps together take a few megabytes at most.
const REMEMBERED_STAMPS = 20_000;
// The size in bytes of a key and a table entry. Many small thumbnails must not exceed the limit.
const ENTRY_BYTES = 512;

/**
 * Creates the cache of verified bytes: stored images, and other images made from stored images. There is one entry for each
 * content and `kind`. The least recently used entries are evicted first.
 */
function createVerifiedCache(maxBytes: number) {
  // Entries and stamps are separate so that equal images under several names are cached once.
  const entries = new LRUCache<string, VerifiedBytes>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ bytes }) => bytes.byteLength + ENTRY_BYTES,
  });
  // With `max`, the library would allocate the space of all entries at once, which takes milliseconds of a start.
  const stamps = new LRUCache<string, string>({
    maxSize: REMEMBERED_STAMPS,
    sizeCalculation: () => 1,
  });

  return {
    /**
     * Resolves with the cached bytes. Resolves with undefined if the bytes are not cached, or if the file was changed since it
     * was verified (docs/contract.md, section 6).
     */
    async find(file: StoredImageFile, kind: string): Promise<VerifiedBytes | undefined> {
      const entry = entries.get(keyOf(file, kind));
      const stamp = stamps.get(file.key);
      if (entry === undefined || stamp === undefined) return undefined;
      return (await file.stamp()) === stamp ? entry : undefined;
    },

    /**
     * Records that the file was verified when its stamp was `stamp`. If `stamp` is undefined, the entry is not used for later
     * requests for this file.
     */
    keep(file: Identity, kind: string, entry: VerifiedBytes, stamp: string | undefined): void {
      entries.set(keyOf(file, kind), entry);
      if (stamp !== undefined) stamps.set(file.key, stamp);
    },

    /** Removes the entries of these files. An equal image under another name is verified again. */
    forget(files: readonly Identity[]): void {
      const removed = new Set(files.map(({ sha256 }) => sha256));
      for (const { key } of files) stamps.delete(key);
      for (const key of entries.keys()) {
        const [checksum = ''] = key.split(' ');
        if (removed.has(checksum)) entries.delete(key);
      }
    },
  };
}

function keyOf({ sha256 }: Identity, kind: string): string {
  return `${sha256} ${kind}`;
}
