import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecord } from '../../../../lib/images/xmp/image-xmp.ts';
import { toXmpJson } from '../../../../lib/images/xmp/xmp-packet.ts';
import { slices } from '../../../support/slices.ts';
import { fiftyImages } from '../fifty-images.ts';
import { embedRecord } from './embed-record.ts';

const run = promisify(execFile);
const { signal } = new AbortController();
const limits = {
  max_encoded_bytes: 8 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};

const PROMPT = 'A <b>cat</b> & "dog" ]]> <!-- \u0000 \ufffe \ud800 -->, 猫 😀\n\tin <ib:record>';
const RECORD = toXmpJson(JSON.stringify({ version: '1', prompt: PROMPT }));
const IMAGES = await fiftyImages();

// The Debian package is libimage-exiftool-perl. It is optional locally and required in CI.
const isThere = await run('exiftool', ['-ver']).then(
  () => true,
  () => false,
);

test.runIf(process.env['CI'])('exiftool is installed in CI', () => {
  expect(isThere).toBe(true);
});

describe.skipIf(!isThere)('exiftool (skipped where it is not installed)', () => {
  let folder: string;
  let names: readonly string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'exiftool-'));
    names = IMAGES.map(({ format }, index) => `${index}.${format}`);
    for (const [index, { bytes, format }] of IMAGES.entries()) {
      const embedded = await embedRecord({ bytes, format }, RECORD, signal);
      await writeFile(join(folder, names[index] ?? ''), embedded ?? expect.fail('not embedded'));
    }
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function exiftool(...options: readonly string[]): Promise<string> {
    const { stdout } = await run('exiftool', [...options, ...names], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  }

  test('reads the record in fifty images of three formats', async () => {
    // -m ignores minor warnings, which concern metadata from other writers.
    const rows: unknown = JSON.parse(
      await exiftool('-j', '-b', '-m', '-G1', '-XMP:Record', '-Warning'),
    );

    expect(rows).toEqual(names.map((name) => ({ SourceFile: name, 'XMP-ib:Record': RECORD })));
  });

  test('rewrites the packets, and the record is still read', async () => {
    await exiftool('-q', '-overwrite_original', '-XMP-dc:Title=rewritten <by> "another"');

    const readings = [];
    for (const name of names) {
      const bytes = await readFile(join(folder, name));
      readings.push(await readRecord(bytes, limits, slices, signal));
    }
    const records = readings.map((reading) => (reading.ok ? JSON.parse(reading.record) : reading));
    expect(records).toEqual(names.map(() => ({ version: '1', prompt: PROMPT })));
  });
});
