import { resolve } from 'node:path';
import type { OwnerFolder } from './artifacts/artifact-names.ts';
import { createArtifactRoot } from './artifacts/artifact-root.ts';
import { createArtifactDelivery } from './artifacts/delivery.ts';
import { createImageDelivery } from './artifacts/image-delivery.ts';
import { createOrphanSweep } from './artifacts/orphan-sweep.ts';
import { isUnavailable } from './artifacts/patience.ts';
import { createPublisher } from './artifacts/publisher.ts';
import { createArtifactRetention } from './artifacts/retention.ts';
import type { Config } from './config/settings/settings.ts';
import { BridgeError, toBridgeError } from './errors/bridge-error.ts';
import type { ImageEngine } from './images/image.ts';
import type { TraceLog } from './log/trace-log.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Clock } from './platform/clock.ts';
import { errorCode } from './platform/error-code.ts';
import type { Ids } from './platform/ids.ts';
import type { Stores } from './storage/open-stores.ts';

interface Outside {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  readonly log: Pick<TraceLog, 'orphanedObjects'>;
  readonly ownerFolder?: OwnerFolder;
}

interface ArtifactParts {
  readonly stores: Pick<Stores, 'artifacts' | 'artifactFiles' | 'storedObjects'>;
  readonly engine: ImageEngine;
}

export type AppArtifacts = ReturnType<typeof openArtifacts>;

/** Builds the objects for artifacts: publication, delivery and retention. */
export function openArtifacts(
  { artifacts: { root, cache_bytes: cacheBytes, retention, s3 } }: Config,
  { clock, ids, metrics, log, ownerFolder }: Outside,
  {
    stores: { artifacts: store, artifactFiles: files, storedObjects: objects },
    engine,
  }: ArtifactParts,
) {
  const images = createImageDelivery({ engine, cacheBytes, metrics });
  const delivery = createArtifactDelivery({
    store,
    files,
    images,
    linkAboveBytes: s3.redirect_above_bytes === 'never' ? undefined : s3.redirect_above_bytes,
  });
  const artifactRoot = createArtifactRoot({ store, files });
  const publisher = createPublisher({ store, files, artifactRoot, ids, clock, ownerFolder });
  const { sweep } = createArtifactRetention({
    store,
    files,
    artifactRoot,
    clock,
    maxAgeSecs: retention.max_age_secs,
    forget: delivery.forget,
    publisher,
  });
  const parts = { store, files, artifactRoot, clock, orphans: s3.orphans };
  return {
    images,
    delivery,
    publisher,
    /** Retention, and the search for objects without a record if the images are in a bucket. */
    tasks:
      objects === undefined
        ? [sweep]
        : [sweep, createOrphanSweep({ ...parts, objects, report: log.orphanedObjects })],
    /** Returns false if the last probe found that nothing can be published. */
    isHealthy: artifactRoot.isHealthy,
    /** Returns false if this process must not receive requests: other replicas may be able to publish, but this process cannot. */
    isReady: artifactRoot.isReady,
    /** Updates `isHealthy`. Never rejects. */
    probe: () => artifactRoot.probe().catch(() => undefined),

    /** Removes unfinished publications of ended processes. Throws `overloaded`, and `artifact` if a file cannot be removed now. */
    takeOver: publisher.recover,

    /**
     * Removes unfinished publications of an earlier process. Throws `overloaded` if the state store fails, and `configuration` if
     * the folder is not writable. If the folder is full or missing, or the bucket is unavailable, the bridge starts and publishes
     * nothing, because retention frees space, a missing folder may be mounted later, and an outage ends.
     */
    async recover(): Promise<void> {
      try {
        await publisher.recover();
      } catch (error) {
        // A file that cannot be removed keeps its row for the next start, and does not prevent this start.
        const isOfFiles = error instanceof BridgeError && error.code === 'artifact';
        if (!isOfFiles && !isUnavailable(error)) throw error;
      }
      const failure = await artifactRoot.probe().then(() => undefined, toBridgeError);
      if (failure?.details['reason'] !== 'artifact_folder_unusable' || artifactRoot.isLost())
        return;
      throw unwritable(resolve(root), failure);
    },
  };
}

function unwritable(root: string, { message, cause }: BridgeError): BridgeError {
  const code = errorCode(cause);
  const reason = code === undefined ? message : `${message} (${code})`;
  return new BridgeError('configuration', `artifacts.root: ${root}: ${reason}`);
}
