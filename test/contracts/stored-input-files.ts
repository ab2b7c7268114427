import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createStoredInputs } from '../../lib/inputs/stored-inputs.ts';
import type { StoredInputFiles } from '../../lib/inputs/stored-inputs-port.ts';
import { systemClock } from '../../lib/platform/clock.ts';

interface Opened {
  readonly files: StoredInputFiles;
  /** Returns another instance for the same images, as after a restart or in another replica. */
  reopen(): StoredInputFiles;
  /** Lets so much time pass that images which are stored are removed at once, or this time. */
  passTime(ms?: number): void;
  /** Changes the stored file of this checksum directly. */
  damage(sha256: string, content: Buffer): Promise<void>;
  close(): Promise<void>;
}

function image(content: string | Buffer) {
  const bytes = Buffer.from(content);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const unneeded = async () => false;
const TEN_MINUTES_MS = 600_000;

/** The contract of every `StoredInputFiles`. */
export function describeStoredInputFiles(label: string, open: () => Promise<Opened>): void {
  describe(`StoredInputFiles: ${label}`, () => {
    let opened: Opened;
    let files: StoredInputFiles;
    const one = image('one image');
    const other = image('another image');

    beforeEach(async () => {
      opened = await open();
      files = opened.files;
    });
    afterEach(() => opened.close());

    async function listed(): Promise<string[]> {
      const all: string[] = [];
      for await (const batch of files.list()) {
        expect(new Set(batch).size).toBe(batch.length);
        all.push(...batch);
      }
      return all.sort();
    }

    test('no image is found before the first is stored', async () => {
      expect(await files.read(one.sha256, one.bytes.length)).toBeUndefined();
      expect(await listed()).toEqual([]);
      await expect(files.remove(one.sha256, unneeded)).resolves.toBeUndefined();
    });

    test('a stored image is read by this instance and by the next', async () => {
      await files.put(one.sha256, one.bytes);

      expect(await files.read(one.sha256, one.bytes.length)).toEqual(one.bytes);
      expect(await opened.reopen().read(one.sha256, one.bytes.length)).toEqual(one.bytes);
    });

    test('a large image is read whole', async () => {
      const large = image(Buffer.alloc(9_000_001, 'image'));

      await files.put(large.sha256, large.bytes);

      expect((await files.read(large.sha256, 9_000_001))?.equals(large.bytes)).toBe(true);
    });

    test('an image that is stored twice is listed once', async () => {
      await files.put(one.sha256, one.bytes);
      await files.put(one.sha256, one.bytes);

      expect(await listed()).toEqual([one.sha256]);
      expect(await files.read(one.sha256, one.bytes.length)).toEqual(one.bytes);
    });

    test('different images are stored concurrently', async () => {
      const all = Array.from({ length: 40 }, (_, index) => image(`image ${index}`));

      await Promise.all(all.map(({ sha256, bytes }) => files.put(sha256, bytes)));

      expect(await listed()).toEqual(all.map(({ sha256 }) => sha256).sort());
      for (const { sha256, bytes } of all) {
        expect(await files.read(sha256, bytes.length)).toEqual(bytes);
      }
    });

    test('`readWhole` returns a changed file with another stamp', async () => {
      const size = one.bytes.length;
      await files.put(one.sha256, one.bytes);
      const before = await files.stamp(one.sha256);
      const content = await files.readWhole(one.sha256, size);

      await opened.damage(one.sha256, Buffer.alloc(size, 'x'));

      expect(content?.bytes).toEqual(one.bytes);
      expect((await files.readWhole(one.sha256, size))?.bytes).toEqual(Buffer.alloc(size, 'x'));
      expect(await files.readWhole(one.sha256, size + 1)).toBeUndefined();
      expect(before).toEqual(expect.any(String));
      expect(await files.stamp(one.sha256)).not.toBe(before);
    });

    test('an image that is not stored has no bytes and no stamp', async () => {
      await files.put(other.sha256, other.bytes);

      expect(await files.readWhole(one.sha256, one.bytes.length)).toBeUndefined();
      expect(await files.stamp(one.sha256)).toBeUndefined();
    });

    test('a removed image is not found, and other images are', async () => {
      await files.put(one.sha256, one.bytes);
      await files.put(other.sha256, other.bytes);
      opened.passTime();

      await files.remove(one.sha256, unneeded);

      expect(await files.read(one.sha256, one.bytes.length)).toBeUndefined();
      expect(await listed()).toEqual([other.sha256]);
    });

    test('an image that a job needs is not removed', async () => {
      await files.put(one.sha256, one.bytes);
      opened.passTime();

      await files.remove(one.sha256, async () => true);

      expect(await files.read(one.sha256, one.bytes.length)).toEqual(one.bytes);
    });

    test('an image that was stored again after some time is found, listed once and removed', async () => {
      await files.put(one.sha256, one.bytes);
      opened.passTime();
      await files.put(one.sha256, one.bytes);

      const found = await files.read(one.sha256, one.bytes.length);
      const all = await listed();
      opened.passTime();
      await files.remove(one.sha256, unneeded);

      expect(found).toEqual(one.bytes);
      expect(all).toEqual([one.sha256]);
      expect(await listed()).toEqual([]);
    });

    test('a removed image can be stored again', async () => {
      await files.put(one.sha256, one.bytes);
      opened.passTime();
      await files.remove(one.sha256, unneeded);
      await files.put(one.sha256, one.bytes);

      expect(await files.read(one.sha256, one.bytes.length)).toEqual(one.bytes);
    });

    test('an image of another length is not read', async () => {
      await files.put(one.sha256, one.bytes);

      expect(await files.read(one.sha256, one.bytes.length - 1)).toBeUndefined();
      expect(await files.read(one.sha256, one.bytes.length + 1)).toBeUndefined();
    });

    test.each([
      ['other bytes of the same length', Buffer.alloc(one.bytes.length, 'x')],
      ['fewer bytes', one.bytes.subarray(0, 3)],
      ['more bytes', Buffer.concat([one.bytes, one.bytes])],
      ['no bytes', Buffer.alloc(0)],
    ])(
      'an image that was replaced by %s is not read until it is stored again',
      async (_, content) => {
        await files.put(one.sha256, one.bytes);
        await opened.damage(one.sha256, content);

        const damaged = await files.read(one.sha256, one.bytes.length);
        await files.put(one.sha256, one.bytes);

        expect(damaged).toBeUndefined();
        expect(await files.read(one.sha256, one.bytes.length)).toEqual(one.bytes);
      },
    );

    test.each(['', '../secrets', 'A'.repeat(64), 'a'.repeat(63), `${'a'.repeat(64)}/b`])(
      'the invalid checksum "%s" is rejected',
      async (sha256) => {
        await expect(files.put(sha256, one.bytes)).rejects.toThrow();
        await expect(files.read(sha256, 1)).rejects.toThrow();
        await expect(files.remove(sha256, unneeded)).rejects.toThrow();
      },
    );
  });
}

/** The contract of every `StoredInputFiles` that several replicas share. */
export function describeSharedInputFiles(label: string, open: () => Promise<Opened>): void {
  describe(`StoredInputFiles of several replicas: ${label}`, () => {
    const { sha256, bytes } = image('an image');
    let opened: Opened;
    let one: StoredInputFiles;
    let other: StoredInputFiles;

    beforeEach(async () => {
      opened = await open();
      one = opened.files;
      other = opened.reopen();
    });
    afterEach(() => opened.close());

    const read = () => one.read(sha256, bytes.length);
    const put = () => one.put(sha256, bytes);

    test.each([0, 1, TEN_MINUTES_MS])(
      'an image is not removed %i ms after another replica stored the image',
      async (passedMs) => {
        await put();
        opened.passTime(passedMs);

        await other.remove(sha256, unneeded);

        expect(await read()).toEqual(bytes);
      },
    );

    test('an image that another replica stores again after a long time is not removed', async () => {
      await other.put(sha256, bytes);
      opened.passTime();
      await put();

      await other.remove(sha256, unneeded);

      expect(await read()).toEqual(bytes);
    });

    test('an image that another replica stores again during its removal stays', async () => {
      await put();
      opened.passTime();

      await other.remove(sha256, async () => {
        await put();
        return false;
      });

      expect(await read()).toEqual(bytes);
    });

    test('replicas store the same image concurrently', async () => {
      const large = image(Buffer.alloc(300_000, 'image'));
      const all = Array.from({ length: 10 }, (_, nth) => (nth % 2 === 0 ? one : other));

      await Promise.all(all.map((files) => files.put(large.sha256, large.bytes)));

      for (const files of [one, other]) {
        expect((await files.read(large.sha256, 300_000))?.equals(large.bytes)).toBe(true);
      }
    });

    test('a job that is refused by one replica leaves the image of the job that another accepts', async () => {
      const jobs = new Set<string>();
      const isNeeded = async (sha: string) => jobs.has(sha);
      const [mine, others] = [one, other].map((files) =>
        createStoredInputs({ files, isNeeded, clock: systemClock }),
      );
      const { signal } = new AbortController();

      await mine?.keepFor([{ sha256, bytes }], signal, async () => {
        const refused = others?.keepFor([{ sha256, bytes }], signal, () =>
          Promise.reject(new Error('refused')),
        );
        await expect(refused).rejects.toThrow('refused');
        await others?.sweep(signal);
        jobs.add(sha256);
      });
      opened.passTime();
      await others?.sweep(signal);

      expect(await read()).toEqual(bytes);
    });

    test('a sweep removes an image that no job needs, after some time', async () => {
      const inputs = createStoredInputs({ files: other, isNeeded: unneeded, clock: systemClock });
      const { signal } = new AbortController();
      await put();

      await inputs.sweep(signal);
      const found = await read();
      opened.passTime();
      await inputs.sweep(signal);

      expect([found, await read()]).toEqual([bytes, undefined]);
    });
  });
}
