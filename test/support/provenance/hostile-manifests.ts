import { crc32 } from 'node:zlib';

/** A file that no reader may read for long, or with much memory. */
export interface HostileImage {
  readonly name: string;
  readonly bytes: Buffer;
  readonly format: 'png' | 'jpeg' | 'webp';
}

/** The type of the description of a manifest store, a manifest, a list of assertions, a claim and CBOR (C2PA specification, 11.1). */
const TYPES = {
  store: '63327061',
  manifest: '63326d61',
  assertions: '63326173',
  claim: '6332636c',
  signature: '63326373',
  cbor: '63626f72',
} as const;
const TYPE_END = '00110010800000aa00389b71';

const DEPTHS = [10, 1000, 20_000];
const LENGTHS = [0, 1, 7, 8, 15, 16, 2 ** 16, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const LONG_LENGTHS = [
  0n,
  8n,
  16n,
  2n ** 32n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
];

/** Creates hostile manifests inside copies of `images`, which have no manifests, and at the place of the manifest of `signed`. */
export function hostileImages(
  images: Readonly<Record<'png' | 'jpeg' | 'webp', Buffer>>,
  signed: Buffer,
): readonly HostileImage[] {
  const stores = hostileStores();
  const inside = stores.flatMap(({ name, store }) => [
    { name, bytes: insertPng(images.png, store), format: 'png' as const },
    { name, bytes: insertWebp(images.webp, store), format: 'webp' as const },
    ...(store.length < 60_000
      ? [{ name, bytes: insertJpeg(images.jpeg, store), format: 'jpeg' as const }]
      : []),
  ]);
  const chunk = storeOf(signed);
  return [
    ...inside,
    { name: 'two stores', bytes: insertPng(signed, chunk), format: 'png' },
    { name: 'a store of another image', bytes: insertPng(images.png, chunk), format: 'png' },
    ...[1, 20, 100, 1000].map((cut) => ({
      name: `a store without its last ${cut} bytes`,
      bytes: insertPng(images.png, chunk.subarray(0, -cut)),
      format: 'png' as const,
    })),
    ...sequences(images.jpeg, chunk),
  ];
}

function hostileStores(): readonly { readonly name: string; readonly store: Buffer }[] {
  const manifest = (...content: readonly Buffer[]) =>
    superBox(TYPES.store, 'c2pa', superBox(TYPES.manifest, 'urn:c2pa:1', ...content));
  const claim = (cbor: Buffer) =>
    manifest(
      superBox(TYPES.assertions, 'c2pa.assertions'),
      superBox(TYPES.claim, 'c2pa.claim.v2', box('cbor', cbor)),
      superBox(TYPES.signature, 'c2pa.signature', box('cbor', cbor)),
    );
  return [
    { name: 'an empty store', store: superBox(TYPES.store, 'c2pa') },
    { name: 'a store without a description', store: box('jumb', Buffer.alloc(0)) },
    { name: 'a store of zeros', store: box('jumb', Buffer.alloc(5000)) },
    ...DEPTHS.map((depth) => ({
      name: `${depth} boxes inside each other`,
      store: superBox(TYPES.store, 'c2pa', nested(depth)),
    })),
    ...DEPTHS.map((depth) => ({
      name: `${depth} empty boxes beside each other`,
      store: manifest(...Array.from({ length: depth }, () => box('free', Buffer.alloc(0)))),
    })),
    ...[0x81, 0xa1, 0xc0, 0x9f, 0xbf, 0x5f].flatMap((head) =>
      DEPTHS.map((depth) => ({
        name: `${depth} times CBOR ${head.toString(16)}`,
        store: claim(Buffer.alloc(depth, head)),
      })),
    ),
    ...[0x5b, 0x7b, 0x9b, 0xbb].flatMap((head) =>
      LONG_LENGTHS.map((length) => ({
        name: `CBOR ${head.toString(16)} of length ${length}`,
        store: claim(Buffer.concat([Buffer.from([head]), long(length), Buffer.alloc(40)])),
      })),
    ),
    ...LENGTHS.map((length) => ({
      name: `a box that claims ${length} bytes`,
      store: superBox(TYPES.store, 'c2pa', claiming(length)),
    })),
    ...LONG_LENGTHS.map((length) => ({
      name: `a large box that claims ${length} bytes`,
      store: superBox(TYPES.store, 'c2pa', claimingLong(length)),
    })),
    ...LENGTHS.map((length) => ({
      name: `a store that claims ${length} bytes`,
      store: Buffer.concat([claiming(length), superBox(TYPES.manifest, 'urn:c2pa:1')]),
    })),
    { name: 'a label of 50,000 characters', store: superBox(TYPES.store, 'a'.repeat(50_000)) },
    { name: 'a label that is no text', store: superBox(TYPES.store, '\udcff\0\0') },
    ...['http://127.0.0.1:9/', 'file:///etc/passwd', `self#jumbf=${'/c2pa'.repeat(5000)}`].map(
      (link) => ({
        name: `a claim with the link ${link.slice(0, 30)}`,
        store: claim(
          Buffer.concat([Buffer.from([0xa1, 0x69]), Buffer.from('signature'), text(link)]),
        ),
      }),
    ),
  ];
}

/** Returns boxes inside each other. Built from the inside, because each box contains its length. */
function nested(depth: number): Buffer {
  const description = box(
    'jumd',
    Buffer.from(`${TYPES.manifest}${TYPE_END}0361`, 'hex'),
    Buffer.alloc(1),
  );
  const size = 8 + description.length;
  const bytes = Buffer.alloc(depth * size);
  for (let level = 0; level < depth; level += 1) {
    bytes.writeUInt32BE((depth - level) * size, level * size);
    bytes.write('jumb', level * size + 4, 'latin1');
    description.copy(bytes, level * size + 8);
  }
  return bytes;
}

function superBox(type: string, label: string, ...content: readonly Buffer[]): Buffer {
  const description = Buffer.concat([
    Buffer.from(`${type}${TYPE_END}03`, 'hex'),
    Buffer.from(`${label}\0`),
  ]);
  return box('jumb', box('jumd', description), ...content);
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content]);
  bytes.writeUInt32BE(bytes.length);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

function claiming(length: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(length);
  bytes.write('jumb', 4, 'latin1');
  return bytes;
}

/** Returns a box whose length has 64 bits (ISO/IEC 14496-12, 4.2). */
function claimingLong(length: bigint): Buffer {
  return Buffer.concat([claiming(1).subarray(0, 8), long(length), Buffer.alloc(64)]);
}

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function text(content: string): Buffer {
  const head = Buffer.from([0x79, 0, 0]);
  head.writeUInt16BE(content.length, 1);
  return Buffer.concat([head, Buffer.from(content)]);
}

function insertPng(png: Buffer, store: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('caBX'), store, Buffer.alloc(4)]);
  chunk.writeUInt32BE(store.length);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  // After the signature and IHDR.
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

function insertWebp(webp: Buffer, store: Buffer): Buffer {
  const head = Buffer.from('C2PA\0\0\0\0', 'latin1');
  head.writeUInt32LE(store.length, 4);
  const bytes = Buffer.concat([webp, head, store, Buffer.alloc(store.length % 2)]);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

function insertJpeg(jpeg: Buffer, store: Buffer, number = 1, sequence = 1): Buffer {
  const head = Buffer.from([0xff, 0xeb, 0, 0, 0x4a, 0x50, 0, number, 0, 0, 0, sequence]);
  head.writeUInt16BE(head.length - 2 + store.length, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, store, jpeg.subarray(2)]);
}

/** Returns JPEGs whose store is in segments with wrong numbers. */
function sequences(jpeg: Buffer, store: Buffer): readonly HostileImage[] {
  return [
    [1, 0],
    [1, 2],
    [0, 1],
    [255, 255],
  ].map(([number, sequence]) => ({
    name: `a segment with the numbers ${number} and ${sequence}`,
    bytes: insertJpeg(jpeg, store, number, sequence),
    format: 'jpeg' as const,
  }));
}

/** Returns the manifest store of a signed PNG. */
function storeOf(png: Buffer): Buffer {
  const at = png.indexOf('caBX');
  return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
}
