import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactRecord } from '../../../lib/artifacts/artifact-store-port.ts';
import { type ArtifactProblem, verifyArtifacts } from '../../../lib/artifacts/verify-artifacts.ts';
import { type ImageEngine, inParts, type VerifiedImage } from '../../../lib/images/image.ts';
import { createImageEngine } from '../../../lib/images/image-engine.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { slices } from '../../support/slices.ts';
import { fromPixels, textured } from '../images/sample-images.ts';
import { type ArtifactRig, imageOf, noAbort, openArtifactRig } from './artifact-rig.ts';

const LIMITS = {
  max_encoded_bytes: 33_554_432,
  max_edge: 16_384,
  max_pixels: 67_108_864,
  max_decode_ms: 10_000,
};

let engine: ImageEngine;
let image: VerifiedImage;
let rig: ArtifactRig;
let problems: ArtifactProblem[];

beforeAll(async () => {
  engine = createImageEngine({ limits: LIMITS, clock: systemClock, slices });
  const inspection = await engine.inspect(
    await fromPixels(textured(20, 10)).png().toBuffer(),
    noAbort,
  );
  if (!inspection.ok) throw new Error('the image is not valid');
  image = inspection.image;
});
afterAll(() => engine.close());

beforeEach(async () => {
  rig = await openArtifactRig();
  problems = [];
});
afterEach(() => rig.close());

async function published(filename: string, content = inParts(image)): Promise<ArtifactRecord> {
  const target = { directory: 'cats', filename, collision: 'error' } as const;
  const wanted = [{ image: content, sidecar: Buffer.from(`about ${filename}`) }];
  const publications = await rig.publisher.publish('scope', wanted, target, noAbort);
  await rig.publisher.commit(publications);
  const [publication] = publications;
  if (publication === undefined) throw new Error('nothing was published');
  return publication.record;
}

function verify(deps: Partial<Parameters<typeof verifyArtifacts>[0]> = {}, signal = noAbort) {
  const all = { store: rig.store, files: rig.files, engine, ...deps };
  return verifyArtifacts(all, (problem) => problems.push(problem), signal);
}

const pathOf = ({ name }: Pick<ArtifactRecord, 'name'>) => join(rig.root, name);
const besideOf = ({ name }: ArtifactRecord) => join(rig.root, name.replace('.png', '.json'));

async function otherImage(): Promise<Buffer> {
  const bytes = await sharp(image.bytes).negate().png({ compressionLevel: 0 }).toBuffer();
  return bytes;
}

describe('verifyArtifacts', () => {
  test('finds nothing if nothing was published', async () => {
    const counts = await verify();

    expect(counts).toEqual({ artifacts: 0, sidecars: 0, bytes: 0, problems: 0 });
    expect(problems).toEqual([]);
  });

  test('checks every artifact and no intent', async () => {
    for (let nth = 0; nth < 11; nth += 1) await published(`a${nth}`);
    const target = { collision: 'error' } as const;
    await rig.publisher.publish('scope', [{ image: inParts(image) }], target, noAbort);

    const counts = await verify();

    const bytes = 11 * image.bytes.byteLength;
    expect(counts).toEqual({ artifacts: 11, sidecars: 11, bytes, problems: 0 });
    expect(problems).toEqual([]);
  });

  type Tampering = readonly [string, (record: ArtifactRecord) => Promise<unknown>, object];
  const tamperings: readonly Tampering[] = [
    ['a missing image', (record) => rm(pathOf(record)), { problem: 'missing' }],
    ['an image that was cut', (record) => truncate(pathOf(record), 50), { problem: 'resized' }],
    [
      'a folder in place of an image',
      async (record) => {
        await rm(pathOf(record));
        await mkdir(pathOf(record));
      },
      { problem: 'resized' },
    ],
    [
      'a link in place of an image',
      async (record) => {
        await rename(pathOf(record), join(rig.root, 'moved.png'));
        await symlink(join(rig.root, 'moved.png'), pathOf(record));
      },
      { problem: 'resized' },
    ],
    [
      'other bytes in place of an image',
      (record) => writeFile(pathOf(record), Buffer.alloc(record.bytes)),
      { problem: 'changed' },
    ],
    [
      'a missing sidecar',
      (record) => rm(besideOf(record)),
      { problem: 'missing', name: 'cats/a.json' },
    ],
    [
      'a sidecar that was changed',
      (record) => writeFile(besideOf(record), 'ABOUT a'),
      { problem: 'changed', name: 'cats/a.json' },
    ],
  ];

  test.each(tamperings)('reports %s', async (_, tamper, problem) => {
    const record = await published('a');
    await published('b');
    await tamper(record);

    const counts = await verify();

    expect(problems).toEqual([{ id: record.id, name: 'cats/a.png', ...problem }]);
    expect(counts).toMatchObject({ artifacts: 2, problems: 1 });
  });

  test('reports a different valid image', async () => {
    const other = await otherImage();
    const inspection = await engine.inspect(other, noAbort);
    if (!inspection.ok) throw new Error(inspection.fault);
    const record = await published('a', inParts({ ...inspection.image, sha256: image.sha256 }));

    await verify();

    expect(problems).toEqual([{ id: record.id, name: record.name, problem: 'changed' }]);
  });

  test('reports published bytes that are not an image', async () => {
    const record = await published('a', imageOf('no image'));

    await verify();

    expect(problems).toEqual([
      { id: record.id, name: record.name, problem: 'undecodable', fault: 'unsupported_format' },
    ]);
  });

  test.each([{ width: 21 }, { height: 11 }, { format: 'webp' as const, name: 'a.webp' }])(
    'reports an image that differs from its row: %o',
    async (lie) => {
      const record = await published('a', inParts({ ...image, ...lie }));

      await verify();

      expect(problems).toEqual([{ id: record.id, name: record.name, problem: 'misdescribed' }]);
    },
  );

  test('reports a stored name that leads out of the folder, and does not read that file', async () => {
    const record = await published('a');
    await rig.state.renameArtifacts('../outside.png');
    await writeFile(join(rig.directory, 'outside.png'), image.bytes);

    await verify();

    expect(problems).toEqual([{ id: record.id, name: '../outside.png', problem: 'unreadable' }]);
  });

  test('does not report an artifact that is removed meanwhile', async () => {
    const record = await published('a');
    const files = {
      ...rig.files,
      async read() {
        await rig.store.withdraw([record.id]);
        return undefined;
      },
    };

    const counts = await verify({ files });

    expect(counts.problems).toBe(0);
    expect(problems).toEqual([]);
  });

  test('rejects with the reason of the signal', async () => {
    await published('a');

    const verifying = verify({}, AbortSignal.abort(new Error('enough')));

    await expect(verifying).rejects.toThrow('enough');
  });
});
