import { BridgeError } from '../errors/bridge-error.ts';
import type { ImageEngine } from '../images/image.ts';
import { type Metrics, silentMetrics } from '../metrics/metrics.ts';
import { createFairSlots } from '../platform/fair-slots.ts';
import type { ImageDelivery, StoredImageFile, VerifiedBytes } from './image-delivery-port.ts';
import { createSharedWork } from './shared-work.ts';
import { createVerifiedCache } from './verified-cache.ts';

interface Deps {
  readonly engine: Pick<ImageEngine, 'forDelivery'>;
  /** `artifacts.cache_bytes`. */
  readonly cacheBytes: number;
  readonly metrics?: Pick<Metrics, 'artifactVerified'>;
}

/** The checksum of the file that was read, and the bytes to deliver. */
type Verified =
  | { readonly ok: true; readonly sha256: string; readonly content: VerifiedBytes }
  | { readonly ok: false };

interface Kind {
  /** The same for equal content. */
  readonly name: string;
  /** Verifies all of the bytes. */
  verify(bytes: Buffer, scope: string, signal: AbortSignal): Promise<Verified>;
}

// Files that have been read wait in memory for a decoder. A scope never holds all slots.
const VERIFY_SLOTS = 4;

type Refusal = 'missing_or_resized' | 'changed' | 'undecodable';

/** The delivery of all stored images: they share one cache, and equal work is done once. */
export function createImageDelivery({
  engine,
  cacheBytes,
  metrics = silentMetrics,
}: Deps): ImageDelivery {
  const cache = createVerifiedCache({ maxBytes: cacheBytes });
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
    return (
      (await cache.find(file, kind.name)) ??
      (await verifications.join(`${file.key} ${kind.name}`, signal, (workSignal) =>
        slots.run(
          { kind: 'file', owner: file.scope, isLarge: true },
          () => verify(file, kind, workSignal),
          workSignal,
        ),
      ))
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
    // Retention may have removed the file meanwhile.
    await file.refuseRemoved();
    metrics.artifactVerified('failed');
    throw new BridgeError('artifact', 'the stored file is missing, changed or damaged', {
      details: { reason },
    });
  }

  return {
    whole: (file, signal) => open(file, whole, signal),
    thumbnail: (file, edgePx, signal) => open(file, thumbnail(edgePx), signal),
    forget: cache.forget,
  };
}
