import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import { insertAfterSoi, multiImage, segment } from './container/jpeg-bytes.ts';
import { chunk, END, header, insertAfterHeader, png } from './container/png-bytes.ts';
import { canvas, chunksOf, riffChunk, webp } from './container/webp-bytes.ts';
import { readPhoto } from './photos.ts';
import { fourBlocks, fromPixels, textured, turned } from './sample-images.ts';

export interface Image {
  readonly what: string;
  readonly format: OutputFormat;
  readonly bytes: Buffer;
}

/** A foreign packet, such as a photograph or an image of a provider may contain. */
export const FOREIGN_PACKET = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:source>elsewhere</dc:source></rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`;

export function pngXmp(packet: string | Buffer): Buffer {
  const head = Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1');
  return chunk('iTXt', Buffer.concat([head, Buffer.from(packet)]));
}

export function jpegXmp(packet: string | Buffer): Buffer {
  const head = Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1');
  return segment(0xe1, Buffer.concat([head, Buffer.from(packet)]));
}

export function webpXmp(bytes: Buffer, packet: string | Buffer): Buffer {
  const { width, height } = fourBlocks();
  const frames = chunksOf(bytes).map((each) => each.bytes);
  return webp(canvas(width, height, 0x04), ...frames, riffChunk('XMP ', Buffer.from(packet)));
}

const text = (value: string) => Buffer.from(value, 'latin1');

/** A chunk of every kind that decoders read before the pixels, except the density, which sharp writes itself. */
const AROUND = [
  chunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f])),
  chunk(
    'cHRM',
    Buffer.from('00007a26000080840000fa00000080e8000075300000ea6000003a980000176f', 'hex'),
  ),
  chunk('sBIT', Buffer.from([8, 8, 8])),
  chunk('bKGD', Buffer.alloc(6)),
  chunk('tIME', Buffer.from([0x07, 0xe8, 11, 21, 8, 30, 0])),
  chunk('sPLT', text('six\0\x08\x01\x02\x03\xff\0\x09')),
  chunk('oFFs', Buffer.from([0, 0, 0, 1, 0, 0, 0, 2, 0])),
  chunk('sCAL', text('\x011.5\x002.5')),
  chunk('tEXt', text('Title\0A title')),
  chunk('zTXt', Buffer.concat([text('Comment\0\0'), deflateSync(text('A comment'))])),
  chunk('iTXt', text('Author\0\0\0en\0Author\0A name')),
];

/** Returns a PNG whose rows are written bit by bit, in forms that the available encoders cannot write. */
function rawPng(bitDepth: number, colourType: number, ...before: readonly Buffer[]): Buffer {
  const [width, height] = [13, 7];
  const channels = [1, 0, 3, 1, 2, 0, 4][colourType] ?? 1;
  const row = 1 + Math.ceil((width * channels * bitDepth) / 8);
  const rows = Buffer.alloc(row * height);
  for (let at = 0; at < rows.length; at += 1) rows[at] = at % row === 0 ? 0 : (at * 73) % 256;
  const head = header({ width, height, bitDepth, colourType });
  return png(head, ...before, chunk('IDAT', deflateSync(rows)), END);
}

const palette = (entries: number) =>
  chunk('PLTE', Buffer.from(Array.from({ length: entries * 3 }, (_, at) => (at * 37) % 256)));

const photo = (name: Parameters<typeof readPhoto>[0], edge = 120): Sharp =>
  sharp(readPhoto(name)).resize(edge, edge - 23);

async function pngs(): Promise<readonly (readonly [string, Buffer | Sharp])[]> {
  const blocks = await fromPixels(fourBlocks()).png().toBuffer();
  const deepRows = photo('coffee.png').toColourspace('rgb16');
  return [
    ['a photograph', readPhoto('chelsea.png')],
    ['truecolour', photo('coffee.png').png()],
    ['truecolour with alpha', photo('coffee.png').ensureAlpha(0.4).png()],
    ['interlaced', photo('astronaut.png').png({ progressive: true })],
    ['interlaced with alpha', photo('rocket.jpg').ensureAlpha(0.7).png({ progressive: true })],
    ['a palette', photo('coffee.png').png({ palette: true })],
    ['a palette of four', photo('chelsea.png').png({ palette: true, colours: 4 })],
    ['a palette with alpha', photo('rocket.jpg').ensureAlpha(0.5).png({ palette: true })],
    ['an interlaced palette', photo('coffee.png').png({ palette: true, progressive: true })],
    ['grey', photo('astronaut.png').greyscale().png()],
    ['grey with alpha', photo('astronaut.png').greyscale().ensureAlpha(0.3).png()],
    ['16 bits', deepRows.clone().png()],
    ['16 bits, interlaced', deepRows.clone().png({ progressive: true })],
    ['16 bits with alpha', deepRows.clone().ensureAlpha(0.5).png()],
    ['16 bits of grey', photo('chelsea.png').toColourspace('grey16').png()],
    ['an ICC profile', photo('chelsea.png').withIccProfile('p3').png()],
    ['a density', photo('chelsea.png').withDensity(300).png()],
    ['one bit of grey', rawPng(1, 0)],
    ['two bits of grey', rawPng(2, 0)],
    ['four bits of grey with a clear one', rawPng(4, 0, chunk('tRNS', Buffer.from([0, 3])))],
    ['one bit of palette', rawPng(1, 3, palette(2))],
    ['two bits of palette', rawPng(2, 3, palette(4), chunk('tRNS', Buffer.from([0, 9, 99])))],
    ['truecolour with a clear one', rawPng(8, 2, chunk('tRNS', Buffer.alloc(6)))],
    ['16 bits of everything', rawPng(16, 6)],
    ['EXIF orientation', turned(blocks, 'png', 6)],
    ['foreign XMP', insertAfterHeader(blocks, pngXmp(FOREIGN_PACKET))],
    ['XMP behind its pixels', png(blocks.subarray(8, -12), pngXmp(FOREIGN_PACKET), END)],
    ['everything around its pixels', insertAfterHeader(blocks, ...AROUND)],
    ['one pixel', fromPixels(textured(1, 1, 4)).png()],
  ];
}

async function jpegs(): Promise<readonly (readonly [string, Buffer | Sharp])[]> {
  const blocks = await fromPixels(fourBlocks()).jpeg().toBuffer();
  const further = await photo('coffee.png', 60).jpeg().toBuffer();
  return [
    ['a photograph', readPhoto('rocket.jpg')],
    ['baseline', photo('coffee.png').jpeg()],
    ['progressive', photo('coffee.png').jpeg({ progressive: true })],
    ['no chroma subsampling', photo('coffee.png').jpeg({ chromaSubsampling: '4:4:4' })],
    ['grey', photo('coffee.png').greyscale().jpeg()],
    ['CMYK', photo('rocket.jpg').toColourspace('cmyk').jpeg()],
    ['progressive CMYK', photo('rocket.jpg').toColourspace('cmyk').jpeg({ progressive: true })],
    ['an ICC profile', photo('hubble_deep_field.jpg').withIccProfile('p3').jpeg()],
    ['EXIF orientation', turned(blocks, 'jpeg', 8)],
    ['EXIF of sharp', photo('rocket.jpg').withMetadata({ orientation: 3 }).jpeg()],
    ['restart markers by mozjpeg', photo('rocket.jpg').jpeg({ mozjpeg: true })],
    ['foreign XMP', insertAfterSoi(blocks, jpegXmp(FOREIGN_PACKET))],
    ['further images', multiImage(blocks, [further])],
    [
      'further images behind XMP',
      multiImage(insertAfterSoi(blocks, jpegXmp(FOREIGN_PACKET)), [further]),
    ],
    ['one pixel', fromPixels(textured(1, 1)).jpeg()],
  ];
}

async function webps(): Promise<readonly (readonly [string, Buffer | Sharp])[]> {
  const blocks = await fromPixels(fourBlocks()).webp().toBuffer();
  return [
    ['lossy', photo('coffee.png').webp()],
    ['lossless', photo('coffee.png').webp({ lossless: true })],
    ['nearly lossless', photo('coffee.png').webp({ nearLossless: true })],
    ['lossy with alpha', photo('coffee.png').ensureAlpha(0.5).webp()],
    ['lossless with alpha', photo('coffee.png').ensureAlpha(0.5).webp({ lossless: true })],
    ['alpha of low quality', photo('rocket.jpg').ensureAlpha(0.2).webp({ alphaQuality: 20 })],
    ['grey', photo('coffee.png').greyscale().webp()],
    ['an ICC profile', photo('chelsea.png').withIccProfile('p3').webp()],
    [
      'lossless with an ICC profile',
      photo('chelsea.png').withIccProfile('p3').webp({ lossless: true }),
    ],
    ['EXIF orientation', turned(blocks, 'webp', 5)],
    ['EXIF of sharp', photo('chelsea.png').withMetadata({ orientation: 6 }).webp()],
    ['foreign XMP', webpXmp(blocks, FOREIGN_PACKET)],
    ['one pixel', fromPixels(textured(1, 1, 4)).webp({ lossless: true })],
  ];
}

/** More than fifty valid files of many kinds. */
export async function fiftyImages(): Promise<readonly Image[]> {
  const made = { png: await pngs(), jpeg: await jpegs(), webp: await webps() };
  const rows = (['png', 'jpeg', 'webp'] as const).flatMap((format) =>
    made[format].map(async ([what, source]) => ({
      what: `${format}: ${what}`,
      format,
      bytes: Buffer.isBuffer(source) ? source : await source.toBuffer(),
    })),
  );
  return Promise.all(rows);
}
