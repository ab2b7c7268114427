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

/** What is made of a file: the checksum of what was read, and what to answer with. */
type Verified =
  | { readonly ok: true; readonly sha256: string; readonly answer: VerifiedBytes }
  | { readonly ok: false };

interface Kind {
  /** The same for equal answers. */
  readonly name: string;
  /** Judges all of the bytes on the way. */
  verify(bytes: Buffer, signal: AbortSignal): Promise<Verified>;
}

type Refusal = 'missing_or_resized' | 'changed' | 'undecodable';

export type ArtifactDelivery = ReturnType<typeof createArtifactDelivery>;

/** Hands out artifacts to their owners, never a byte that was not verified (contract.md 6). */
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
        ? { ok: true, sha256: inspection.image.sha256, answer: inspection.image }
        : inspection;
    },
  };

  function thumbnail(edgePx: number): Kind {
    return {
      name: `thumbnail ${edgePx}`,
      async verify(bytes, signal) {
        const made = await engine.thumbnail(bytes, edgePx, signal);
        return made.ok ? { ok: true, sha256: made.sha256, answer: made.image } : made;
      },
    };
  }

  async function find(scope: string, id: string): Promise<ArtifactRecord> {
    // A malformed id is looked up like any other: the answer to a stranger tells nothing, not even by its time.
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
    const { bytes, sha256 } = verified.answer;
    cache.keep(record, kind.name, { bytes, sha256 }, content.stamp);
    return { bytes, sha256 };
  }

  async function refuse(record: ArtifactRecord, reason: Refusal): Promise<never> {
    cache.forget([record]);
    // Its time may have come meanwhile: then the file went with the artifact.
    await find(record.scope, record.id);
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
    open: (scope: string, id: string, signal: AbortSignal) => open(scope, id, whole, signal),

    /** A PNG that fits a square of `edgePx`; the artifact's file was verified for it just so. Throws as `open`. */
    openThumbnail: (scope: string, id: string, edgePx: number, signal: AbortSignal) =>
      open(scope, id, thumbnail(edgePx), signal),

    /** Gives back the memory that these artifacts hold. */
    forget: cache.forget,
  };
}
