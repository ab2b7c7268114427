import type { StoredObjects } from '../../artifacts/stored-objects-port.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import { isArtifactName } from '../artifact-path.ts';
import { type Bucket, sha256Of } from './bucket.ts';

interface Deps {
  readonly bucket: Bucket;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

// The name begins with a dot, because no part of the name of an artifact may begin with a dot.
const SWEPT = '.swept';
const SWEPT_TEXT = Buffer.from(
  'The time of this object is the time of the last search for objects without a record.\n',
);

/** Lists the objects of the artifacts. The time of the last sweep is the time of an object, so that all replicas know the time. */
export function createStoredObjects({ bucket, clock, ids }: Deps): StoredObjects {
  return {
    async beginSweep(everyMs) {
      const beforeMs = clock.nowMs() - everyMs;
      await bucket.remove(SWEPT, ({ writtenMs }) => writtenMs < beforeMs);
      // The replica that creates the object begins the sweep. Other replicas find the object.
      const object = { name: SWEPT, bytes: SWEPT_TEXT, sha256: sha256Of(SWEPT_TEXT) };
      return bucket.create({ ...object, bridgeId: ids.newOpaqueId() });
    },
    async *list(beforeMs) {
      for await (const names of bucket.list('', beforeMs)) yield names.filter(isArtifactName);
    },
    async find(name) {
      const found = await bucket.head(name);
      if (found?.bridgeId === undefined || found.sha256 === undefined) return undefined;
      return { id: found.bridgeId, name, bytes: found.bytes, sha256: found.sha256 };
    },
  };
}
