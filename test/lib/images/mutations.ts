import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { sniff } from '../../../lib/images/container/containers.ts';
import { PNG_SIGNATURE_BYTES, pngChunkAt } from '../../../lib/images/container/png.ts';

/** Positions in the first and the last bytes are as likely as positions between them. */
const position = fc.oneof(
  fc.nat(200),
  fc.nat(200).map((back) => -1 - back),
  fc.nat(2 ** 30),
);

const mutation = fc.record({
  kind: fc.constantFrom('flip', 'set', 'zero', 'cut', 'remove', 'insert', 'repeat', 'append'),
  at: position,
  length: fc.integer({ min: 1, max: 600 }),
  value: fc.nat(255),
});

type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(bytes: Buffer, { kind, at, length, value }: Mutation): Buffer {
  const from = ((at % bytes.length) + bytes.length) % bytes.length;
  const to = Math.min(bytes.length, from + length);
  const changed = Buffer.from(bytes);
  const filler = Buffer.alloc(length, value);
  switch (kind) {
    case 'flip':
      changed.writeUInt8(changed.readUInt8(from) ^ (1 << (value % 8)), from);
      return changed;
    case 'set':
      changed.writeUInt8(value, from);
      return changed;
    case 'zero':
      return changed.fill(0, from, to);
    case 'cut':
      return changed.subarray(0, from);
    case 'remove':
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    case 'insert':
      return Buffer.concat([bytes.subarray(0, from), filler, bytes.subarray(from)]);
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    case 'append':
      return Buffer.concat([bytes, filler]);
  }
}

/** Generates one of the images with up to three changes. */
export function mutationsOf(
  images: readonly Buffer[],
): fc.Arbitrary<{ readonly original: Buffer; readonly bytes: Buffer }> {
  return fc
    .tuple(fc.constantFrom(...images), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([original, mutations]) => ({ original, bytes: mutations.reduce(mutateSome, original) }));
}

function mutateSome(bytes: Buffer, change: Mutation): Buffer {
  return bytes.length === 0 ? bytes : mutate(bytes, change);
}

/**
 * Returns a changed file with correct checksums and sizes. Otherwise a PNG would fail at its first CRC and a WebP at its RIFF
 * header, and the later checks would not be tested.
 */
export function resealed(bytes: Buffer): Buffer {
  const sealed = Buffer.from(bytes);
  const format = sniff(sealed);
  if (format === 'webp' && sealed.length >= 8) sealed.writeUInt32LE(sealed.length - 8, 4);
  if (format !== 'png') return sealed;
  for (let at = PNG_SIGNATURE_BYTES; ; ) {
    const chunk = pngChunkAt(sealed, at);
    if (typeof chunk === 'string') return sealed;
    const crcAt = chunk.end - 4;
    sealed.writeUInt32BE(crc32(sealed.subarray(chunk.start + 4, crcAt)), crcAt);
    at = chunk.end;
  }
}
