import type { ArtifactFiles, PublishedFile } from '../../artifacts/artifact-files-port.ts';
import { BridgeError } from '../../errors/bridge-error.ts';
import { ByteParts } from '../../platform/byte-parts.ts';
import type { Clock } from '../../platform/clock.ts';
import { splitName } from '../artifact-path.ts';
import { type Bucket, isSame, sha256Of } from './bucket.ts';

interface Deps {
  readonly bucket: Bucket;
  /** Throws `configuration` or `overloaded` unless the bucket was proven to keep its promises (`prove-bucket.ts`). */
  readonly proven: () => Promise<void>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Setting `artifacts.s3.recheck_ms`: the time for which a stamp is returned again without a request. */
  readonly recheckMs: number;
  /** Name of the probe object. Replicas need different names. */
  readonly probeName: string;
}

const MISSING = 'artifacts.s3: the bucket no longer contains the artifacts';
// The name begins with a dot, because no part of a name chosen by a caller may begin with a dot.
const MARKER = '.image-bridge';
const MARKER_TEXT = Buffer.from(
  'The objects beside this object are the images of an Image Bridge.\n',
);
// A publication asks several times within this time whether the marker exists.
const MARKER_RECHECK_MS = 1000;
// The number of names that are looked up one by one: an image and its sidecar.
const MAX_HEADS = 2;
// The number of objects after which a list ends.
const MAX_LISTED = 3000;
// The number of stamps in memory. All stamps together take a few megabytes at most.
const MAX_STAMPS = 20_000;

/**
 * Stores artifacts as objects of a bucket. The key of an object is the name of the artifact after the prefix. Staged bytes stay
 * in memory, and are written with one conditional request when they get their name. The id that is stored with an object
 * distinguishes the object from the objects of other programs.
 */
export function createArtifactObjects(deps: Deps): ArtifactFiles {
  const { bucket, proven, clock, recheckMs } = deps;
  const staged = new Map<string, Buffer>();
  const stamps = createStamps(recheckMs, clock);
  const marker = createMarker(deps);
  const writes = createWrites(deps);

  return {
    isShared: true,
    missingMessage: MISSING,
    async prepare() {
      await proven();
      if (await marker.exists(MARKER_RECHECK_MS)) return;
      // If another replica creates the marker first, that marker is used.
      await writes.create(MARKER, MARKER_TEXT, MARKER);
    },
    async probe(bytes) {
      await proven();
      if (writes.haveFailed()) await writes.probe(bytes);
      else await marker.exists();
    },
    isMissing: async () => !(await marker.exists(MARKER_RECHECK_MS)),
    findTaken: (names) => findTaken(bucket, names.map(checked)),
    async stage(id, ...parts) {
      await marker.require(MARKER_RECHECK_MS);
      if (staged.has(id)) throw new BridgeError('artifact', 'the id of an artifact is used twice');
      staged.set(id, new ByteParts(parts).toBuffer());
    },
    async publish(id, name) {
      const key = checked(name);
      await marker.require(MARKER_RECHECK_MS);
      const bytes = staged.get(id);
      if (bytes === undefined)
        throw new BridgeError('artifact', 'no bytes are staged under the id');
      return writes.create(key, bytes, id);
    },
    async settle(files) {
      for (const { id } of files) staged.delete(id);
    },
    async remove({ id, name, sha256 }: PublishedFile) {
      const key = checked(name);
      staged.delete(id);
      stamps.delete(key);
      // Without the object, the bucket may be another bucket, and the object may exist in the bucket of the artifacts.
      const existed = await bucket.remove(key, (found) => isSame(found, { bridgeId: id, sha256 }));
      if (!existed) await marker.require();
    },
    async stamp(name) {
      const key = checked(name);
      const known = stamps.get(key);
      if (known !== undefined) return known;
      const found = await bucket.head(key);
      stamps.set(key, found?.stamp);
      return found?.stamp;
    },
    async read(name, bytes) {
      const key = checked(name);
      const found = await bucket.read(key, bytes);
      stamps.set(key, found?.stamp);
      return found && { bytes: found.content, stamp: found.stamp };
    },
    async link({ id, name, bytes, sha256 }, headers) {
      const key = checked(name);
      const found = await bucket.head(key);
      if (!found || found.bytes !== bytes || !isSame(found, { bridgeId: id, sha256 }))
        return undefined;
      return bucket.presign(key, headers);
    },
  };
}

/**
 * Creates the functions for the marker: an object that shows that the bucket and the prefix belong to the artifacts. An emptied
 * bucket and a wrong bucket have no marker.
 */
function createMarker({ bucket, clock }: Pick<Deps, 'bucket' | 'clock'>) {
  let seenMs = Number.NEGATIVE_INFINITY;

  /** Resolves with true if the marker exists, or existed at most `maxAgeMs` ago. */
  async function exists(maxAgeMs = 0): Promise<boolean> {
    if (clock.monotonicMs() - seenMs < maxAgeMs) return true;
    if ((await bucket.head(MARKER)) === undefined) return false;
    seenMs = clock.monotonicMs();
    return true;
  }

  return {
    exists,
    /** Throws `artifact` unless `exists` resolves with true. */
    async require(maxAgeMs = 0): Promise<void> {
      if (await exists(maxAgeMs)) return;
      const details = { reason: 'artifact_folder_unusable' };
      throw new BridgeError('artifact', MISSING, { details });
    },
  };
}

/**
 * Resolves with the names that objects have. Many names need one request, because the names to try for an image have the same
 * beginning.
 */
async function findTaken(
  bucket: Pick<Bucket, 'head' | 'list'>,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length > MAX_HEADS) {
    const sorted = names.toSorted();
    const [first = '', last = ''] = [sorted[0], sorted.at(-1)];
    const listed = new Set<string>();
    for await (const batch of bucket.list(commonStart(first, last))) {
      for (const name of batch) listed.add(name);
      if (listed.size >= MAX_LISTED) break;
    }
    // A long list is not read to its end, because most of its objects may have other names.
    if (listed.size < MAX_LISTED) return new Set(names.filter((name) => listed.has(name)));
  }
  const found = await Promise.all(names.map((name) => bucket.head(name)));
  return new Set(names.filter((_, index) => found[index] !== undefined));
}

/** Returns the longest text that both texts begin with. */
function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

/** Creates the functions that write, which remember if the last write failed. */
function createWrites({ bucket, probeName }: Pick<Deps, 'bucket' | 'probeName'>) {
  let haveFailed = false;

  async function create(name: string, bytes: Buffer, bridgeId: string): Promise<boolean> {
    try {
      const isCreated = await bucket.create({ name, bytes, bridgeId, sha256: sha256Of(bytes) });
      haveFailed = false;
      return isCreated;
    } catch (error) {
      haveFailed = true;
      throw error;
    }
  }

  return {
    create,
    /** Returns true if the last write failed. Otherwise a probe need not write, because each write has a price. */
    haveFailed: () => haveFailed,
    /** Writes and removes an object of this size. */
    async probe(bytes: number): Promise<void> {
      // The last probe may have left the object.
      await bucket.remove(probeName, () => true);
      await create(probeName, Buffer.alloc(bytes), probeName);
      await bucket.remove(probeName, () => true);
    },
  };
}

/** Returns the name. Throws `artifact` if the name is not portable. */
function checked(name: string): string {
  splitName(name);
  return name;
}

/** Creates the memory of recent stamps. */
function createStamps(recheckMs: number, clock: Pick<Clock, 'monotonicMs'>) {
  const stamps = new Map<string, { readonly stamp: string; readonly untilMs: number }>();
  return {
    get(name: string): string | undefined {
      const known = stamps.get(name);
      return known !== undefined && clock.monotonicMs() < known.untilMs ? known.stamp : undefined;
    },
    set(name: string, stamp: string | undefined): void {
      stamps.delete(name);
      if (recheckMs === 0 || stamp === undefined) return;
      if (stamps.size >= MAX_STAMPS) stamps.clear();
      stamps.set(name, { stamp, untilMs: clock.monotonicMs() + recheckMs });
    },
    delete: (name: string): void => void stamps.delete(name),
  };
}
