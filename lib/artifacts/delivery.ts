import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine } from '../images/image.ts';
import { type Metrics, silentMetrics } from '../metrics/metrics.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactRecord, ArtifactStore } from './artifact-store-port.ts';
import { createSharedWork } from './shared-work.ts';
import { createVerifiedCache, type VerifiedBytes } from './verified-cache.ts';

interface Deps {
  readonly store: Pick<ArtifactStore, 'find'>;
  readonly files: Pick<ArtifactFiles, 'stamp' | 'read'>;
  readonly engine: Pick<ImageEngine, 'inspect' | 'thumbnail'>;
  /** `artifacts.cache_bytes`. */
  readonly cacheBytes: number;
  readonly metrics?: Pick<Metrics, 'artifactVerified'>;
}

/** An artifact with its bytes, or those of its thumbnail. */
export interface OpenedArtifact extends VerifiedBytes {
  readonly record: ArtifactRecord;
}

/** The checksum of the file that was read, and the bytes to deliver. */
type Verified =
  | { readonly ok: true; readonly sha256: string; readonly content: VerifiedBytes }
  | { readonly ok: false };

interface Kind {
  /** The same for equal content. */
  readonly name: string;
  /** Verifies all of the bytes. */
  verify(bytes: Buffer, signal: AbortSignal): Promise<Verified>;
}

type Refusal = 'missing_or_resized' | 'changed' | 'undecodable';

export type ArtifactDelivery = ReturnType<typeof createArtifactDelivery>;

/** Delivers artifacts to their owners, and only bytes that were verified (contract.md 6). */
export function createArtifactDelivery({
  store,
  files,
  engine,
  cacheBytes,
  metrics = silentMetrics,
}: Deps) {
  const cache = createVerifiedCache({ files, maxBytes: cacheBytes });
  const verifications = createSharedWork<VerifiedBytes>();

  const whole: Kind = {
    name: 'whole',
    async verify(bytes, signal) {
      const inspection = await engine.inspect(bytes, signal);
      return inspection.ok
        ? { ok: true, sha256: inspection.image.sha256, content: inspection.image }
        : inspection;
    },
  };

  function thumbnail(edgePx: number): Kind {
    return {
      name: `thumbnail ${edgePx}`,
      async verify(bytes, signal) {
        const made = await engine.thumbnail(bytes, edgePx, signal);
        return made.ok ? { ok: true, sha256: made.sha256, content: made.image } : made;
      },
    };
  }

  async function find(scope: string, id: string): Promise<ArtifactRecord> {
    // A malformed id is looked up like any other: neither the reply nor its timing reveals which ids exist.
    const record = await store.find(scope, id);
    if (record === undefined) throw new BridgeError('not_found', 'there is no such artifact');
    return record;
  }

  async function open(
    scope: string,
    id: string,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<OpenedArtifact> {
    signal.throwIfAborted();
    const record = await find(scope, id);
    const { bytes, sha256 } =
      (await cache.find(record, kind.name)) ??
      (await verifications.join(`${record.id} ${kind.name}`, signal, (workSignal) =>
        verify(record, kind, workSignal),
      ));
    return { record, bytes, sha256 };
  }

  async function verify(
    record: ArtifactRecord,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<VerifiedBytes> {
    const content = await files.read(record.name, record.bytes);
    if (content === undefined) return refuse(record, 'missing_or_resized');
    const verified = await kind.verify(content.bytes, signal);
    if (!verified.ok) return refuse(record, 'undecodable');
    if (verified.sha256 !== record.sha256) return refuse(record, 'changed');
    metrics.artifactVerified('succeeded');
    const { bytes, sha256 } = verified.content;
    cache.keep(record, kind.name, { bytes, sha256 }, content.stamp);
    return { bytes, sha256 };
  }

  async function refuse(record: ArtifactRecord, reason: Refusal): Promise<never> {
    cache.forget([record]);
    // Retention may have removed the artifact with its file meanwhile.
    await find(record.scope, record.id);
    metrics.artifactVerified('failed');
    throw new BridgeError('artifact', 'the stored file is missing, changed or damaged', {
      details: { reason },
    });
  }

  return {
    /**
     * The whole artifact. Its file was read, hashed and decoded now, or has not changed since that was done. A reply with
     * less (a header, a range, "not modified") opens it too. Throws `not_found` for an id that does not
     * exist in this scope, `artifact` for a file that is missing, changed or damaged, or the signal's reason.
     */
    open: (scope: string, id: string, signal: AbortSignal) => open(scope, id, whole, signal),

    /** A PNG that fits a square of `edgePx`; the artifact's file was verified for it just so. Throws as `open`. */
    openThumbnail: (scope: string, id: string, edgePx: number, signal: AbortSignal) =>
      open(scope, id, thumbnail(edgePx), signal),

    /** Frees the memory that these artifacts hold. */
    forget: cache.forget,
  };
}
