import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputFormat } from '../../../../lib/contract/request/parameters.ts';
import type { CheckedImage } from '../../../../lib/images/image.ts';
import { inParts } from '../../../../lib/images/image.ts';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { readRecord } from '../../../../lib/images/xmp/image-xmp.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { slices } from '../../../support/slices.ts';
import { insertAfterSoi, segment } from '../container/jpeg-bytes.ts';
import { chunk, insertAfterHeader } from '../container/png-bytes.ts';
import { chunksOf, riffChunk, webp } from '../container/webp-bytes.ts';
import { FOREIGN_PACKET, jpegXmp, pngXmp, webpXmp } from '../fifty-images.ts';
import { joined } from '../joined.ts';
import { fourBlocks, fromPixels } from '../sample-images.ts';

const TERMS = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const GENERATED = `${TERMS}trainedAlgorithmicMedia`;
const THEIRS = `${TERMS}compositeSynthetic`;
const RECORD = '{"version":"1"}';

const limits = {
  ...{ max_encoded_bytes: 4 * 1024 * 1024, max_edge: 4096, max_pixels: 4 * 1024 * 1024 },
  max_decode_ms: 10_000,
};
const { signal } = new AbortController();
const engine = createImageEngine({ limits, clock: systemClock, slices });
afterAll(() => engine.close());

const blocks = fromPixels(fourBlocks());

/** The containers: a name, the format, an image without XMP, and a function that adds a packet. */
const CONTAINERS = [
  {
    name: 'png',
    format: 'png',
    plain: () => blocks.png().toBuffer(),
    hold: (bytes: Buffer, packet: Packet) => insertAfterHeader(bytes, pngXmp(packet)),
  },
  {
    name: 'jpeg',
    format: 'jpeg',
    plain: () => blocks.jpeg().toBuffer(),
    hold: (bytes: Buffer, packet: Packet) => insertAfterSoi(bytes, jpegXmp(packet)),
  },
  {
    name: 'lossy webp',
    format: 'webp',
    plain: () => blocks.webp().toBuffer(),
    hold: (bytes: Buffer, packet: Packet) => webpXmp(bytes, packet),
  },
  {
    name: 'lossless webp',
    format: 'webp',
    plain: () => blocks.webp({ lossless: true }).toBuffer(),
    hold: (bytes: Buffer, packet: Packet) => webpXmp(bytes, packet),
  },
] as const satisfies readonly Container[];

type Packet = string | Buffer;

interface Container {
  readonly name: string;
  readonly format: OutputFormat;
  plain(): Promise<Buffer>;
  hold(bytes: Buffer, packet: Packet): Buffer;
}

const EXT = 'xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"';
const MARK = `<Iptc4xmpExt:DigitalSourceType>${THEIRS}</Iptc4xmpExt:DigitalSourceType>`;

/** Returns the foreign packet with more XML at the end of its description. */
function packetWith(xml: string): string {
  return FOREIGN_PACKET.replace('</rdf:Description>', `${xml}</rdf:Description>`).replace(
    'rdf:about=""',
    `rdf:about="" ${EXT}`,
  );
}

const MARKED = packetWith(MARK);
const UNMERGEABLE = FOREIGN_PACKET.replace('elsewhere', 'e'.repeat(20_000));
const LONG_MARKED = packetWith(`<dc:rights>${'r'.repeat(20_000)}</dc:rights>${MARK}`);

async function checked(bytes: Buffer): Promise<CheckedImage> {
  const inspection = await engine.check(bytes, signal);
  return inspection.ok ? inspection.image : expect.fail(inspection.fault);
}

async function imageWith({ plain, hold }: Container, packet?: Packet): Promise<CheckedImage> {
  const bytes = await plain();
  return checked(packet === undefined ? bytes : hold(bytes, packet));
}

const mark = async (image: CheckedImage) => {
  const written = await engine.writeXmp(inParts(image), { sourceType: GENERATED }, signal);
  return typeof written === 'string' ? written : joined(written);
};

const record = async (image: CheckedImage) => {
  const written = await engine.writeXmp(
    inParts(image),
    { record: RECORD, sourceType: GENERATED },
    signal,
  );
  return typeof written === 'string' ? expect.fail(written) : joined(written);
};

/** Returns the bytes that a decoder reads: the pixels as they are in the container. */
function pixelData({ bytes, format }: Pick<CheckedImage, 'bytes' | 'format'>): Buffer {
  switch (format) {
    case 'png':
      return bytes.subarray(bytes.indexOf('IDAT') - 4);
    case 'jpeg':
      return bytes.subarray(bytes.indexOf(Buffer.from([0xff, 0xdb])));
    case 'webp': {
      const frames = chunksOf(bytes).filter(({ type }) => /^VP8[ L]$|^ALPH$/.test(type));
      return Buffer.concat(frames.map((frame) => frame.bytes));
    }
  }
}

const run = promisify(execFile);
// The Debian package is libimage-exiftool-perl. It is optional locally and required in CI.
const hasExiftool = await run('exiftool', ['-ver']).then(
  () => true,
  () => process.env['CI'] !== undefined,
);
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'marks-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Reads the mark as another program does. */
async function outsideMark({ bytes, format }: CheckedImage): Promise<string | undefined> {
  const path = join(folder, `image.${format}`);
  await writeFile(path, bytes);
  const { stdout } = await run('exiftool', ['-j', '-n', '-XMP-iptcExt:DigitalSourceType', path]);
  return JSON.parse(stdout)[0].DigitalSourceType;
}

const expectMark = async (image: CheckedImage, expected: string | undefined) => {
  expect(await engine.readSourceType(image, signal)).toBe(expected);
  if (hasExiftool) expect(await outsideMark(image)).toBe(expected);
};

describe.each<Container>(CONTAINERS)('a mark in a $name', (container) => {
  test.each([
    ['no packet', undefined],
    ['a packet that can be merged', FOREIGN_PACKET],
  ])('is written beside %s, and the pixel data stays byte for byte', async (_, packet) => {
    const image = await imageWith(container, packet);

    const marked = await mark(image);

    if (typeof marked === 'string') expect.fail(marked);
    await expectMark(marked, GENERATED);
    expect(pixelData(marked).equals(pixelData(image))).toBe(true);
    expect(marked.bytes.includes('elsewhere')).toBe(packet !== undefined);
    expect(marked).toEqual(await checked(marked.bytes));
  });

  test.each([
    ['has a mark', MARKED, THEIRS],
    ['cannot be merged', UNMERGEABLE, undefined],
    ['cannot be merged and has a mark', LONG_MARKED, THEIRS],
  ])('is not written if a packet %s', async (_, packet, expected) => {
    const image = await imageWith(container, packet);

    expect(await mark(image)).toBe('not_mergeable');
    await expectMark(image, expected);
  });

  test.each([
    ['no packet', undefined, GENERATED],
    ['a packet that can be merged', FOREIGN_PACKET, GENERATED],
    ['a packet with a mark', MARKED, THEIRS],
    ['a packet that cannot be merged', UNMERGEABLE, GENERATED],
    ['a packet that cannot be merged and has a mark', LONG_MARKED, THEIRS],
  ])('is written or stays when a record is added to %s', async (_, packet, expected) => {
    const image = await imageWith(container, packet);

    const recorded = await record(image);

    await expectMark(recorded, expected);
    expect(await readRecord(recorded.bytes, limits, slices, signal)).toEqual({
      ok: true,
      record: RECORD,
    });
    expect(recorded.bytes.toString('latin1').split('<x:xmpmeta')).toHaveLength(2);
    expect(recorded.bytes.toString('latin1').split(expected)).toHaveLength(2);
    expect(pixelData(recorded).equals(pixelData(image))).toBe(true);
    expect(recorded).toEqual(await checked(recorded.bytes));
  });
});

describe('a mark', () => {
  const [png, jpeg, lossy] = CONTAINERS;

  test.each([
    [
      'an attribute',
      packetWith('').replace(EXT, `${EXT} Iptc4xmpExt:DigitalSourceType="${THEIRS}"`),
    ],
    ['a resource', packetWith(`<Iptc4xmpExt:DigitalSourceType rdf:resource="${THEIRS}"/>`)],
    ['escaped text', packetWith(MARK.replace('://', '&#58;//'))],
    ['a CDATA section', packetWith(MARK.replace(THEIRS, `<![CDATA[${THEIRS}]]>`))],
    [
      'another prefix',
      MARKED.replaceAll('Iptc4xmpExt:', 'q:').replace('xmlns:Iptc4xmpExt=', 'xmlns:q='),
    ],
    [
      'UTF-16',
      Buffer.concat([
        Buffer.from([0xff, 0xfe]),
        Buffer.from(MARKED.replace('\ufeff', ''), 'utf16le'),
      ]),
    ],
  ])('of the provider stays if it is %s, when a record is added', async (_, packet) => {
    const image = await imageWith(png, packet);

    expect(await engine.readSourceType(image, signal)).toBe(THEIRS);
    await expectMark(await record(image), THEIRS);
  });

  test.each([
    ['a comment', packetWith(`<!-- ${MARK} -->`)],
    ['the text of another property', packetWith(`<dc:rights><![CDATA[${MARK}]]></dc:rights>`)],
    ['another namespace', MARKED.replace('/2008-02-29/', '/2030/')],
    ['a longer name', MARKED.replaceAll('DigitalSourceType', 'DigitalSourceTypes')],
    [
      'a prompt',
      packetWith(`<dc:rights><![CDATA[Iptc4xmpExt:DigitalSourceType='${THEIRS}']]></dc:rights>`),
    ],
    ['an empty element', packetWith('<Iptc4xmpExt:DigitalSourceType/>')],
    ['an element with a long text', packetWith(MARK.replace(THEIRS, 'x'.repeat(300)))],
  ])('is not read from %s', async (_, packet) => {
    expect(await engine.readSourceType(await imageWith(png, packet), signal)).toBeUndefined();
  });

  test('of the provider stays if it is in the second of two packets', async () => {
    const image = await checked(
      insertAfterHeader(await png.plain(), pngXmp(FOREIGN_PACKET), pngXmp(MARKED)),
    );

    expect(await mark(image)).toBe('not_mergeable');
    await expectMark(await record(image), THEIRS);
  });

  test.each([
    ['zTXt', (packet: string) => chunk('zTXt', Buffer.concat([keyword(2), deflateSync(packet)]))],
    ['tEXt', (packet: string) => chunk('tEXt', Buffer.concat([keyword(1), Buffer.from(packet)]))],
    [
      'iTXt',
      (packet: string) => {
        const head = Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0', 'latin1');
        return chunk('iTXt', Buffer.concat([head, deflateSync(packet)]));
      },
    ],
  ])('of the provider is found in a compressed or old text chunk: %s', async (_, hold) => {
    const packet = MARKED.replaceAll('\ufeff', '');
    const image = await checked(insertAfterHeader(await png.plain(), hold(packet)));

    expect(await mark(image)).toBe('not_mergeable');
    expect(await engine.readSourceType(image, signal)).toBe(THEIRS);
    await expectMark(await record(image), THEIRS);
  });

  test('of the provider stays if it is in the extension of a packet', async () => {
    const [start, end] = [MARKED.slice(0, 500), MARKED.slice(500)];
    const parts = [start, end].map((part) =>
      segment(
        0xe1,
        Buffer.concat([
          Buffer.from(`http://ns.adobe.com/xmp/extension/\0${'0'.repeat(40)}`, 'latin1'),
          Buffer.from(part),
        ]),
      ),
    );
    const image = await checked(insertAfterSoi(await jpeg.plain(), jpegXmp(UNMERGEABLE), ...parts));

    expect(await engine.readSourceType(image, signal)).toBe(THEIRS);
    await expectMark(await record(image), THEIRS);
  });

  test('is not written beside a second packet, which would be lost', async () => {
    const image = await checked(
      insertAfterHeader(await png.plain(), pngXmp(FOREIGN_PACKET), pngXmp(FOREIGN_PACKET)),
    );

    expect(await mark(image)).toBe('not_mergeable');
  });

  test('is not written into an image that would exceed the limit of its size', async () => {
    const plain = await lossy.plain();
    const fill = limits.max_encoded_bytes - plain.length - 100;
    const image = await checked(
      webp(...chunksOf(plain).map(({ bytes }) => bytes), riffChunk('fill', Buffer.alloc(fill))),
    );

    expect(await mark(image)).toBe('too_many_bytes');
  });

  test('is found in bounded time in packets made to be searched for long', async () => {
    const names = `<a:DigitalSourceType><b:DigitalSourceType="'`.repeat(20_000);
    const packets = [
      names,
      `<!-- ${EXT} ${names}`,
      `${EXT}${'Iptc4xmpExt:DigitalSourceType='.repeat(20_000)}`,
      'DigitalSourceTyp'.repeat(60_000),
    ];

    for (const packet of packets) {
      const image = await imageWith(lossy, packet);
      expect(await engine.readSourceType(image, signal)).toBeUndefined();
    }
  });
});

function keyword(zeros: number): Buffer {
  return Buffer.from(`XML:com.adobe.xmp${'\0'.repeat(zeros)}`, 'latin1');
}
