import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactFiles, PublishedFile } from '../../lib/artifacts/artifact-files-port.ts';

interface Opened {
  readonly files: ArtifactFiles;
  /** Replaces the file of that name by a foreign file. */
  putForeign(name: string, content: string): Promise<void>;
  close(): Promise<void>;
}

let made = 0;

function image(name: string, content = `image ${made}`): PublishedFile & { content: Buffer } {
  made += 1;
  const bytes = Buffer.from(content);
  return {
    id: made.toString(16).padStart(32, '0'),
    name,
    bytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    content: bytes,
  };
}

/** The contract of every `ArtifactFiles`. */
export function describeArtifactFiles(label: string, open: () => Promise<Opened>): void {
  describe(`ArtifactFiles: ${label}`, () => {
    let opened: Opened;
    let files: ArtifactFiles;

    beforeEach(async () => {
      opened = await open();
      files = opened.files;
    });
    afterEach(() => opened.close());

    async function stage({ id, content }: PublishedFile & { content: Buffer }): Promise<void> {
      await files.prepare();
      // The bytes come in two parts.
      await files.stage(id, content.subarray(0, 2), content.subarray(2));
    }

    async function isTaken(name: string): Promise<boolean> {
      return (await files.findTaken([name])).has(name);
    }

    async function publish(file: PublishedFile & { content: Buffer }): Promise<void> {
      await stage(file);
      await files.publish(file.id, file.name);
      await files.settle([file]);
    }

    test('no file is found before the first artifact', async () => {
      expect(await isTaken('a.png')).toBe(false);
      expect(await files.stamp('a/b.png')).toBeUndefined();
      expect(await files.read('a/b.png', 1)).toBeUndefined();
    });

    test('staged bytes are not readable under a name', async () => {
      const file = image('a.png');

      await stage(file);

      expect(await isTaken('a.png')).toBe(false);
    });

    test.each(['a.png', 'cats/a.png', 'x/y/z/a.png'])(
      'bytes published as %s are read whole',
      async (name) => {
        const file = image(name);

        await publish(file);

        expect((await files.read(name, file.bytes))?.bytes).toEqual(file.content);
        expect(await isTaken(name)).toBe(true);
      },
    );

    test('of several names, the taken ones are found', async () => {
      await publish(image('cats/a.png'));
      await opened.putForeign('cats/a-2.png', 'foreign');

      const taken = await files.findTaken([
        'cats/a.png',
        'cats/a-2.png',
        'cats/a-3.png',
        'cats/a-22.png',
        'dogs/a.png',
      ]);

      expect(taken).toEqual(new Set(['cats/a.png', 'cats/a-2.png']));
      expect(await files.findTaken([])).toEqual(new Set());
    });

    test('a file of a taken name is never overwritten', async () => {
      await opened.putForeign('a.png', 'foreign');
      const file = image('a.png');
      await stage(file);

      const published = await files.publish(file.id, 'a.png');

      expect(published).toBe(false);
      expect((await files.read('a.png', 7))?.bytes.toString()).toBe('foreign');
    });

    test('staged bytes may be published under another name when the first is taken', async () => {
      await opened.putForeign('a.png', 'foreign');
      const file = image('a-2.png');
      await stage(file);
      await files.publish(file.id, 'a.png');

      const published = await files.publish(file.id, 'a-2.png');

      expect(published).toBe(true);
      expect((await files.read('a-2.png', file.bytes))?.bytes).toEqual(file.content);
    });

    test.each([
      ['nothing', async () => files.prepare()],
      ['staging', async (file: ReturnType<typeof image>) => stage(file)],
      [
        'taking its name',
        async (file: ReturnType<typeof image>) => {
          await stage(file);
          await files.publish(file.id, file.name);
        },
      ],
      ['settling', async (file: ReturnType<typeof image>) => publish(file)],
    ])('removal of a file that was interrupted after %s leaves nothing', async (_, begin) => {
      const file = image('cats/a.png');
      await begin(file);

      await files.remove(file);

      expect(await isTaken('cats/a.png')).toBe(false);
      // Staging again under the same id fails if a file of the first stage remains.
      await expect(publish(file)).resolves.toBeUndefined();
    });

    test('no file is written or removed while the root folder is missing', async () => {
      const before = await files.isMissing();
      const lost = { code: 'artifact', details: { reason: 'artifact_folder_unusable' } };
      const file = image('a.png');

      await expect(files.stage(file.id, file.content)).rejects.toMatchObject(lost);
      await expect(files.publish(file.id, 'cats/a.png')).rejects.toMatchObject(lost);
      await expect(files.remove(file)).rejects.toMatchObject(lost);
      expect(await isTaken('cats')).toBe(false);
      await files.prepare();

      expect([before, await files.isMissing()]).toEqual([true, false]);
      await expect(files.remove(image('a.png'))).resolves.toBeUndefined();
    });

    test('a probe leaves no file and creates no folder', async () => {
      await files.probe(10);
      const before = await files.isMissing();
      await files.prepare();

      for (const bytes of [0, 1, 300_000]) await files.probe(bytes);

      expect(before).toBe(true);
      await expect(publish(image('a.png'))).resolves.toBeUndefined();
    });

    test('removal keeps a foreign file with other content', async () => {
      await files.prepare();
      await opened.putForeign('a.png', 'foreign');

      await files.remove(image('a.png', 'of ours'));

      expect(await isTaken('a.png')).toBe(true);
    });

    test('removal of staged bytes keeps a foreign file with the same content', async () => {
      await opened.putForeign('a.png', 'the same');
      const file = image('a.png', 'the same');
      await stage(file);

      await files.remove(file);

      expect(await isTaken('a.png')).toBe(true);
    });

    test('the stamp is stable and changes with the file', async () => {
      const file = image('a.png', 'before');
      await publish(file);
      const first = await files.stamp('a.png');
      const second = await files.stamp('a.png');

      await opened.putForeign('a.png', 'behind');

      expect(first).toBeTypeOf('string');
      expect(second).toBe(first);
      expect(await files.stamp('a.png')).not.toBe(first);
    });

    test('a file of another length is not read', async () => {
      const file = image('a.png');
      await publish(file);

      expect(await files.read('a.png', file.bytes + 1)).toBeUndefined();
      expect(await files.read('a.png', file.bytes - 1)).toBeUndefined();
    });

    test.each([
      '../a.png',
      '/etc/a.png',
      'a/../../b.png',
      '.staging/a.png',
      './a.png',
      'a//b.png',
      '',
      'a\0.png',
    ])('the invalid name %j is rejected', async (name) => {
      const file = image('a.png');
      await stage(file);

      await expect(files.publish(file.id, name)).rejects.toMatchObject({ code: 'artifact' });
      await expect(files.read(name, 1)).rejects.toMatchObject({ code: 'artifact' });
      await expect(files.stamp(name)).rejects.toMatchObject({ code: 'artifact' });
    });
  });
}
