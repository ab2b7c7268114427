import { LRUCache } from 'lru-cache';
import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine } from '../images/image.ts';
import { type Metrics, silentMetrics } from '../metrics/metrics.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import { createSharedWork } from './shared-work.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'find'>;
  readonly files: Pick<ArtifactFiles, 'stamp' | 'read'>;
  readonly engine: Pick<ImageEngine, 'inspect'>;
  /** `artifacts.cache_bytes`. */
  readonly cacheBytes: number;
  readonly metrics?: Pick<Metrics, 'artifactVerified'>;
}

/** An artifact with the bytes that were published; whoever gets them must not change them. */
export interface OpenedArtifact {
  readonly record: ArtifactRecord;
  readonly bytes: Buffer;
}

export type ArtifactDelivery = ReturnType<typeof createArtifactDelivery>;

// Two strings each: some megabytes at most.
const REMEMBERED_STAMPS = 20_000;

/** Hands out artifacts to their owners, never a byte that was not verified (contract.md 6). */
export function createArtifactDelivery({
  store,
  files,
  engine,
  cacheBytes,
  metrics = silentMetrics,
}: Deps) {
  // Apart from the stamps, because equal pictures under several names are worth keeping once.
  const verifiedBytes = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, cacheBytes),
    sizeCalculation: (bytes) => Math.max(1, bytes.byteLength),
  });
  const verifiedStamps = new LRUCache<string, string>({ max: REMEMBERED_STAMPS });
  const verifications = createSharedWork<Buffer>();

  async function fromCache({ id, name, sha256 }: ArtifactRecord): Promise<Buffer | undefined> {
    const bytes = verifiedBytes.get(sha256);
    const stamp = verifiedStamps.get(id);
    if (bytes === undefined || stamp === undefined) return undefined;
    return (await files.stamp(name)) === stamp ? bytes : undefined;
  }

  async function verify(record: ArtifactRecord, signal: AbortSignal): Promise<Buffer> {
    verifiedStamps.delete(record.id);
    const content = await files.read(record.name, record.bytes);
    if (content === undefined) return refuse('missing_or_resized');
    const inspection = await engine.inspect(content.bytes, signal);
    if (!inspection.ok) return refuse('undecodable');
    if (inspection.image.sha256 !== record.sha256) return refuse('changed');
    metrics.artifactVerified('succeeded');
    verifiedBytes.set(record.sha256, content.bytes);
    if (content.stamp !== undefined) verifiedStamps.set(record.id, content.stamp);
    return content.bytes;
  }

  function refuse(reason: 'missing_or_resized' | 'changed' | 'undecodable'): never {
    metrics.artifactVerified('failed');
    throw new BridgeError('artifact', 'the stored file is missing, changed or damaged', {
      details: { reason },
    });
  }

  return {
    /**
     * The whole artifact. Its file was read, hashed and decoded now, or has not changed since it was; so whoever
     * answers with less (a header, a range, "not modified") opens it too. Throws `not_found` for an id that does not
     * exist in this scope, `artifact` for a file that is missing, changed or damaged, or the signal's reason.
     */
    async open(scope: string, id: string, signal: AbortSignal): Promise<OpenedArtifact> {
      signal.throwIfAborted();
      // A malformed id is looked up like any other: the answer to a stranger tells nothing, not even by its time.
      const record = await store.find(scope, id);
      if (record === undefined) throw new BridgeError('not_found', 'there is no such artifact');
      const cached = await fromCache(record);
      if (cached !== undefined) return { record, bytes: cached };
      const bytes = await verifications.join(record.id, signal, (workSignal) =>
        verify(record, workSignal),
      );
      return { record, bytes };
    },
  };
}
