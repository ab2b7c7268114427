import type { StoredInputFiles } from '../../inputs/stored-inputs-port.ts';
import { type Bucket, isSame, sha256Of } from './bucket.ts';
import { toBucketError } from './bucket-errors.ts';

interface Deps {
  readonly bucket: Bucket;
  /** Throws `configuration` or `overloaded` unless the bucket was proven to keep its promises (`prove-bucket.ts`). */
  readonly proven: () => Promise<void>;
}

const SHA256 = /^[0-9a-f]{64}$/;
// The name begins with a dot, because no part of the name of an artifact may begin with a dot.
const FOLDER = '.inputs/';

/** Stores input images of jobs as objects, each under its checksum. */
export function createStoredInputObjects({ bucket, proven }: Deps): StoredInputFiles {
  return {
    async put(sha256, bytes) {
      const name = nameOf(sha256);
      await proven();
      const object = { name, bytes, bridgeId: sha256, sha256 };
      const found = await bucket.head(name);
      if (found !== undefined && isSame(found, object)) return;
      // Another program has replaced the object.
      if (found !== undefined) await bucket.remove(name, (other) => !isSame(other, object));
      const isCreated = await bucket.create(object);
      if (!isCreated) throw toBucketError(new Error('another program writes the input images'));
    },
    async read(sha256, byteLength) {
      const found = await bucket.read(nameOf(sha256), byteLength);
      if (found === undefined) return undefined;
      return sha256Of(found.content) === sha256 ? found.content : undefined;
    },
    async readWhole(sha256, byteLength) {
      const found = await bucket.read(nameOf(sha256), byteLength);
      return found && { bytes: found.content, stamp: found.stamp };
    },
    stamp: async (sha256) => (await bucket.head(nameOf(sha256)))?.stamp,
    async remove(sha256) {
      await bucket.remove(nameOf(sha256), () => true);
    },
    async *list() {
      for await (const names of bucket.list(FOLDER)) {
        const found = names.map((name) => name.slice(FOLDER.length));
        yield found.filter((name) => SHA256.test(name));
      }
    },
  };
}

function nameOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error('the name of a stored image is not a checksum');
  return `${FOLDER}${sha256}`;
}
