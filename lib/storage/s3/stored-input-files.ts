import type { StoredInputFiles } from '../../inputs/stored-inputs-port.ts';
import type { Clock } from '../../platform/clock.ts';
import { currentPeriod, isOver } from '../storing-period.ts';
import { type Bucket, isSame, type ReadObject, sha256Of } from './bucket.ts';
import { toBucketError } from './bucket-errors.ts';

interface Deps {
  readonly bucket: Bucket;
  /** Throws `configuration` or `overloaded` unless the bucket was proven to keep its promises (`prove-bucket.ts`). */
  readonly proven: () => Promise<void>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

const SHA256 = /^[0-9a-f]{64}$/;
// The name begins with a dot, because no part of the name of an artifact may begin with a dot.
const FOLDER = '.inputs/';

/**
 * Stores input images of jobs as objects. Each period of ten minutes has a separate object of an image. A replica that accepts a
 * job relies on the object of the current period. Other replicas do not know the job yet, so a removal never removes the objects of
 * the last two periods. Older objects of the same image are removed when a newer object exists.
 */
export function createStoredInputObjects({ bucket, proven, clock }: Deps): StoredInputFiles {
  /** Resolves with the names of the objects of an image, newest first. */
  async function listCopies(sha256: string): Promise<readonly string[]> {
    const copies: string[] = [];
    for await (const names of bucket.list(`${nameOf(sha256)}/`)) copies.push(...names);
    return copies.sort().reverse();
  }

  /** Resolves with the names of the objects of an image from before the period that precedes this one. */
  async function listOld(sha256: string, current: number): Promise<readonly string[]> {
    return (await listCopies(sha256)).filter((copy) => isOver(periodOf(copy), current));
  }

  async function removeAll(copies: readonly string[]): Promise<void> {
    for (const copy of copies) await bucket.remove(copy, () => true);
  }

  /** Resolves with the first result of `read` for an object of the image, newest first, or undefined if `read` finds none. */
  async function readNewest<T>(
    sha256: string,
    read: (name: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    // A newer object may replace the listed objects before they are read, so the list is read again once.
    for (let tries = 0; tries < 2; tries += 1) {
      const copies = await listCopies(sha256);
      for (const copy of copies) {
        const found = await read(copy);
        if (found !== undefined) return found;
      }
      if (copies.length === 0) return undefined;
    }
    return undefined;
  }

  return {
    isShared: true,
    async put(sha256, bytes) {
      const current = currentPeriod(clock);
      const name = `${nameOf(sha256)}/${current}`;
      await proven();
      const object = { name, bytes, bridgeId: sha256, sha256 };
      const found = await bucket.head(name);
      if (found !== undefined && isSame(found, object)) return;
      // Another program has replaced the object.
      if (found !== undefined) await bucket.remove(name, (other) => !isSame(other, object));
      const isCreated = await bucket.create(object);
      if (!isCreated) throw toBucketError(new Error('another program writes the input images'));
      // Objects that cannot be removed now are removed with the image.
      await listOld(sha256, current)
        .then(removeAll)
        .catch(() => undefined);
    },
    async read(sha256, byteLength) {
      const intact = async (name: string) => {
        const content = (await bucket.read(name, byteLength))?.content;
        return content && sha256Of(content) === sha256 ? content : undefined;
      };
      return readNewest(sha256, intact);
    },
    async readWhole(sha256, byteLength) {
      const found = await readNewest<ReadObject & { readonly name: string }>(
        sha256,
        async (name) => {
          const object = await bucket.read(name, byteLength);
          return object && { ...object, name };
        },
      );
      return found && { bytes: found.content, stamp: `${found.name} ${found.stamp}` };
    },
    stamp: (sha256) =>
      readNewest(sha256, async (name) => {
        const found = await bucket.head(name);
        return found && `${name} ${found.stamp}`;
      }),
    async remove(sha256, isNeeded) {
      // Listed first: what another replica stores while `isNeeded` runs is not in the list.
      const copies = await listOld(sha256, currentPeriod(clock));
      if (copies.length > 0 && !(await isNeeded())) await removeAll(copies);
    },
    async *list() {
      for await (const names of bucket.list(FOLDER)) {
        const found = names.map((name) => name.split('/')[1] ?? '');
        yield [...new Set(found)].filter((name) => SHA256.test(name));
      }
    },
  };
}

function nameOf(sha256: string): string {
  if (!SHA256.test(sha256)) throw new Error('the name of a stored image is not a checksum');
  return `${FOLDER}${sha256}`;
}

function periodOf(copy: string): number {
  return Number(copy.slice(copy.lastIndexOf('/') + 1));
}
