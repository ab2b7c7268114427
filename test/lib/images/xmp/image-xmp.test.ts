import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { createImageEngine } from '../../../../lib/images/image-engine.ts';
import { readRecord } from '../../../../lib/images/xmp/image-xmp.ts';
import { MAX_RECORD_BYTES, toXmpJson } from '../../../../lib/images/xmp/xmp-packet.ts';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { slices } from '../../../support/slices.ts';
import { insertAfterSoi, jpeg, multiImage, segment } from '../container/jpeg-bytes.ts';
import { chunk, END, header, insertAfterHeader, PIXELS, png } from '../container/png-bytes.ts';
import { chunksOf, lossless, lossy, riffChunk, webp } from '../container/webp-bytes.ts';
import {
  FOREIGN_PACKET,
  fiftyImages,
  type Image,
  jpegXmp,
  pngXmp,
  webpXmp,
} from '../fifty-images.ts';
import { fourBlocks, fromPixels } from '../sample-images.ts';
import { embedRecord } from './embed-record.ts';

const limits = {
  max_encoded_bytes: 8 * 1024 * 1024,
  max_edge: 4096,
  max_pixels: 4 * 1024 * 1024,
  max_decode_ms: 10_000,
};
const { signal } = new AbortController();
const engine = createImageEngine({ limits, clock: systemClock, slices });
afterAll(() => engine.close());

const RECORD = toXmpJson(JSON.stringify({ version: '1', prompt: 'A cat & a <b>dog</b> ]]> 猫' }));
const IMAGES = await fiftyImages();

async function embed({ bytes, format }: Omit<Image, 'what'>, record = RECORD): Promise<Buffer> {
  const embedded = await embedRecord({ bytes, format }, record, signal);
  return embedded ?? expect.fail('the record was not embedded');
}

const read = (bytes: Buffer) => readRecord(bytes, limits, slices, signal);

/** Decodes an image with every bit of its samples. */
async function decoded(bytes: Buffer) {
  const { size: _size, xmp: _xmp, xmpAsString: _text, ...facts } = await sharp(bytes).metadata();
  const depth = facts.depth === 'ushort' ? 'ushort' : 'uchar';
  return { facts, pixels: await sharp(bytes).raw({ depth }).toBuffer() };
}

describe('embedRecord', () => {
  test('is tested with fifty kinds of images', () => {
    expect(new Set(IMAGES.map(({ what }) => what)).size).toBeGreaterThanOrEqual(50);
  });

  test.each(IMAGES)('keeps the pixels, the orientation and the profile of $what', async (image) => {
    const embedded = await embed(image);

    expect(await read(embedded)).toEqual({ ok: true, record: RECORD });
    expect(await decoded(embedded)).toEqual(await decoded(image.bytes));
    const [before, after] = await Promise.all([
      engine.inspect(image.bytes, signal),
      engine.inspect(embedded, signal),
    ]);
    if (!before.ok || !after.ok) expect.fail('an image is not valid');
    const { bytes: _bytes, sha256: _sha256, ...facts } = before.image;
    expect(after.image).toMatchObject(facts);
  });

  test.each(IMAGES)('replaces the first record with a second in $what', async (image) => {
    const first = await embed(image);

    const second = await embed({ ...image, bytes: first }, '{"version":"1"}');

    expect(await read(second)).toEqual({ ok: true, record: '{"version":"1"}' });
    expect(second.length).toBeLessThan(first.length);
    expect(second.includes('cat &')).toBe(false);
  });

  test('inserts one chunk before the first pixels of a PNG and changes nothing else', async () => {
    const before = png(header(), chunk('tEXt', Buffer.from('key\0value')), PIXELS, PIXELS, END);

    const embedded = await embed({ bytes: before, format: 'png' });

    const at = before.indexOf('IDAT') - 4;
    const added = embedded.subarray(at, at + embedded.length - before.length);
    expect(added.toString('latin1', 4, 30)).toBe('iTXtXML:com.adobe.xmp\0\0\0\0\0');
    expect(Buffer.concat([embedded.subarray(0, at), embedded.subarray(at + added.length)])).toEqual(
      before,
    );
  });

  test('inserts its segment after JFIF and EXIF and before everything else', async () => {
    const [jfif, exif, comment] = [
      segment(0xe0, Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\0\0', 'latin1')),
      segment(0xe1, Buffer.from('Exif\0\0nothing', 'latin1')),
      segment(0xfe, Buffer.from('a comment')),
    ];
    const photo = await fromPixels(fourBlocks()).jpeg().toBuffer();
    const before = insertAfterSoi(photo, jfif, exif, comment);

    const embedded = await embed({ bytes: before, format: 'jpeg' });

    const at = 2 + jfif.length + exif.length;
    const added = embedded.length - before.length;
    expect(embedded.subarray(0, at)).toEqual(before.subarray(0, at));
    expect(embedded.toString('latin1', at + 4, at + 32)).toBe('http://ns.adobe.com/xap/1.0/');
    expect(embedded.subarray(at + added)).toEqual(before.subarray(at));
  });

  test.each([
    ['lossy', lossy(300, 200), 0x04],
    ['lossless', lossless(300, 200), 0x04],
    ['lossless with alpha', lossless(300, 200, true), 0x14],
  ])('turns a simple WebP into an extended WebP: %s', async (_, frame, flags) => {
    const embedded = await embed({ bytes: webp(frame), format: 'webp' });

    const [canvas, kept, xmp] = chunksOf(embedded);
    expect([canvas, kept, xmp].map((each) => each?.type)).toEqual([
      'VP8X',
      frame.toString('latin1', 0, 4),
      'XMP ',
    ]);
    expect(canvas?.bytes[8]).toBe(flags);
    expect(canvas?.bytes.readUIntLE(12, 3)).toBe(299);
    expect(canvas?.bytes.readUIntLE(15, 3)).toBe(199);
    expect(kept?.bytes).toEqual(frame);
    expect(embedded.readUInt32LE(4)).toBe(embedded.length - 8);
  });

  test.each([
    ['an odd record', '{"version":"1" }'],
    ['an even record', '{"version":"1"}'],
  ])('adds the missing padding of the last chunk of a WebP: %s', async (_, record) => {
    const odd = riffChunk('ABCD', Buffer.from('odd'));
    const padded = webp(lossless(3, 2), odd);
    const bytes = Buffer.from(padded.subarray(0, -1));
    bytes.writeUInt32LE(bytes.length - 8, 4);

    const embedded = await embed({ bytes, format: 'webp' }, record);

    expect(chunksOf(embedded)[2]?.bytes).toEqual(odd);
    expect(embedded.length % 2).toBe(0);
    expect(await read(embedded)).toEqual({ ok: true, record });
  });

  test('rejects with the reason of an aborted signal', async () => {
    const bytes = png(
      header(),
      Buffer.concat(Array<Buffer>(400_000).fill(chunk('teXt'))),
      PIXELS,
      END,
    );
    const outcome = embedRecord({ bytes, format: 'png' }, RECORD, AbortSignal.abort('aborted'));

    await expect(outcome).rejects.toBe('aborted');
  });
});

describe('embedRecord: an image with XMP', () => {
  const blocks = fromPixels(fourBlocks());

  const holders: readonly [Image['format'], (packet: string | Buffer) => Promise<Buffer>][] = [
    ['png', async (packet) => insertAfterHeader(await blocks.png().toBuffer(), pngXmp(packet))],
    ['jpeg', async (packet) => insertAfterSoi(await blocks.jpeg().toBuffer(), jpegXmp(packet))],
    ['webp', async (packet) => webpXmp(await blocks.webp().toBuffer(), packet)],
  ];

  test.each(holders)('keeps the XMP of a %s in the only packet', async (format, hold) => {
    const embedded = await embed({ bytes: await hold(FOREIGN_PACKET), format });

    const text = embedded.toString('latin1');
    expect(text).toContain('<dc:source>elsewhere</dc:source>');
    expect(text.split('<x:xmpmeta')).toHaveLength(2);
    expect(await read(embedded)).toEqual({ ok: true, record: RECORD });
  });

  test.each([
    ['is no XML', '<x:xmpmeta><rdf:RDF></rdf:RDF>'],
    ['is not UTF-8', Buffer.from('<a></rdf:RDF></a>', 'utf16le')],
    ['has no room for a description', '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'],
    [
      'ends inside a comment',
      FOREIGN_PACKET.replace('</rdf:RDF>', '</rdf:RDF><!-- </rdf:RDF> -->'),
    ],
    ['declares a document type', `<!DOCTYPE a [<!ENTITY b "c">]>${FOREIGN_PACKET}`],
    ['is about something else', FOREIGN_PACKET.replace('about=""', 'about="uuid:1"')],
    ['is long', FOREIGN_PACKET.replace('elsewhere', 'e'.repeat(20_000))],
    [
      'has very many elements',
      FOREIGN_PACKET.replace('elsewhere', `elsewhere${'<b/>'.repeat(1000)}`),
    ],
    [
      'has very many attributes',
      FOREIGN_PACKET.replace('elsewhere', `elsewhere<b ${manyAttributes(1000)}/>`),
    ],
    [
      'has a record already',
      FOREIGN_PACKET.replace('purl.org', 'purl.org/urn:image-bridge:xmp:1#'),
    ],
  ])('replaces a packet that %s', async (_, packet) => {
    for (const [format, hold] of holders) {
      const embedded = await embed({ bytes: await hold(packet), format });

      expect(await read(embedded)).toEqual({ ok: true, record: RECORD });
      expect(embedded.includes('elsewhere')).toBe(false);
      expect(embedded.toString('latin1').split('begin=')).toHaveLength(2);
    }
  });

  test.each([
    ['elements', '<b></b>'.repeat(900)],
    ['attributes', `<b ${manyAttributes(900)}/>`],
  ])('keeps a packet of 900 %s', async (_, markup) => {
    for (const [format, hold] of holders) {
      const packet = FOREIGN_PACKET.replace('elsewhere', `elsewhere${markup}`);

      const embedded = await embed({ bytes: await hold(packet), format });

      expect(await read(embedded)).toEqual({ ok: true, record: RECORD });
      expect(embedded.includes(markup)).toBe(true);
    }
  });

  test('keeps one packet of an image with several packets', async () => {
    const [inPng, inJpeg, inWebp] = await Promise.all(holders.map(([, hold]) => hold('<a/>')));
    const chunks = chunksOf(inWebp!).map((each) => each.bytes);
    const images: readonly Omit<Image, 'what'>[] = [
      { format: 'png', bytes: insertAfterHeader(inPng!, pngXmp('<b/>')) },
      { format: 'jpeg', bytes: insertAfterSoi(inJpeg!, jpegXmp('<b/>')) },
      { format: 'webp', bytes: webp(...chunks, riffChunk('XMP ', Buffer.from('<b/>'))) },
    ];

    const embedded = await Promise.all(images.map((image) => embed(image)));

    expect(embedded.map((bytes) => bytes.includes('<a/>') || bytes.includes('<b/>'))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('deletes the extension of a replaced packet and keeps the extension of a merged packet', async () => {
    const extension = segment(
      0xe1,
      Buffer.from('http://ns.adobe.com/xmp/extension/\0more', 'latin1'),
    );
    const photo = await blocks.jpeg().toBuffer();

    const kept = await embed({
      bytes: insertAfterSoi(photo, jpegXmp(FOREIGN_PACKET), extension),
      format: 'jpeg',
    });
    const replaced = await embed({
      bytes: insertAfterSoi(photo, jpegXmp('<a/>'), extension),
      format: 'jpeg',
    });

    expect(kept.includes(extension)).toBe(true);
    expect(replaced.includes('xmp/extension')).toBe(false);
  });

  test('overwrites XMP between an index of images and these images with blanks', async () => {
    const photo = await blocks.jpeg().toBuffer();
    const main = insertAfterSoi(photo, jpegXmp('<a/>'));
    const bytes = multiImage(main, [photo, photo]);

    const embedded = await embed({ bytes, format: 'jpeg' });

    expect(embedded.includes('<a/>')).toBe(false);
    expect(await engine.inspect(embedded, signal)).toMatchObject({ ok: true });
  });

  test('resolves with undefined for an image with too many packets', async () => {
    const many = Array.from({ length: 100 }, () => pngXmp('<a/>'));
    const images: readonly Omit<Image, 'what'>[] = [
      { format: 'png', bytes: png(header(), ...many, PIXELS, END) },
      { format: 'jpeg', bytes: jpeg(...many.map(() => jpegXmp('<a/>'))) },
      {
        format: 'webp',
        bytes: webp(lossy(1, 1), ...many.map(() => riffChunk('XMP ', Buffer.from('<a/>')))),
      },
    ];

    const embedded = await Promise.all(images.map((image) => embedRecord(image, RECORD, signal)));

    expect(embedded).toEqual([undefined, undefined, undefined]);
  });

  test.each(['png', 'jpeg', 'webp'] as const)(
    'embeds the longest record beside the longest packet that is kept: %s',
    async (format) => {
      const [, hold] = holders.find(([one]) => one === format)!;
      const packet = FOREIGN_PACKET.replace('elsewhere', 'e'.repeat(15_000));
      const record = JSON.stringify('x'.repeat(MAX_RECORD_BYTES - 2));

      const embedded = await embed({ bytes: await hold(packet), format }, record);

      expect(await read(embedded)).toEqual({ ok: true, record });
      expect(await engine.inspect(embedded, signal)).toMatchObject({ ok: true });
    },
  );
});

function manyAttributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `c${index}=""`).join(' ');
}

describe('toXmpJson', () => {
  test.each([
    ']]>',
    ']]]>',
    '\\]]>',
    '<b>bold</b>',
    '</ib:record>',
    '<![CDATA[ x ]]>',
    '<!-- x -->',
    'a < b <= c << d <> e',
    '\ufffe\uffff',
    '\\\ufffe',
    '\u0000\u001f\u007f\u0085\u009f\u2028',
    '\ud800 and \udc00',
    '😀 猫 é',
  ])('encodes %j as JSON that XML can contain', (text) => {
    const json = toXmpJson(JSON.stringify(text));

    expect(JSON.parse(json)).toBe(text);
    expect(json).not.toMatch(/\]\]>|<[^\s<=>]|[\ufffe\uffff]/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not permit them.
    expect(json).not.toMatch(/[\u0000-\u001f]/);
    expect(json.isWellFormed()).toBe(true);
  });
});
