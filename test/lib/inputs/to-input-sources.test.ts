import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type ImageInput, StoredInput } from '../../../lib/contract/request/image-input.ts';
import { type InputSource, toList } from '../../../lib/inputs/input-source.ts';
import { toInputSources, toStoredSources } from '../../../lib/inputs/to-input-sources.ts';
import { finish } from '../../support/finish.ts';

const NO_LIMIT = 1024 * 1024;
const BYTES = Buffer.from([0xfb, 0xef, 0xff, 0x00, 0x10]);
const TEXT = BYTES.toString('base64');

describe('toInputSources', () => {
  it('names each image by its position in the request', () => {
    const [one, two, three, four] = ['AAAA', 'BBBB', 'CCCC', 'DDDD'].map(base64);

    const request = { images: [one!, two!], mask: three!, reference_images: [four!] };
    const inputs = finish(toInputSources(request, NO_LIMIT));

    expect(inputs.images).toMatchObject([{ field: 'images[0]' }, { field: 'images[1]' }]);
    expect(inputs.mask).toMatchObject({ field: 'mask', bytes: Buffer.from('CCCC', 'base64') });
    expect(inputs.references).toMatchObject([{ field: 'reference_images[0]' }]);
  });

  it('throws for the first invalid image', () => {
    const request = {
      images: [base64('AAAA'), base64('no')],
      mask: base64('neither'),
      reference_images: [],
    };

    expect(() => finish(toInputSources(request, NO_LIMIT))).toThrow(
      expect.objectContaining({ param: 'images[1]' }),
    );
  });

  it('decodes long images in steps of equal length', () => {
    const bytes = Buffer.alloc(3_000_001, 'image');
    const input = base64(bytes.toString('base64'));
    const request = { images: [input, input], mask: null, reference_images: [input] };

    const steps = toInputSources(request, bytes.length);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;

    expect(pauses).toBe(12);
    expect(step.value.images[1]).toMatchObject({ kind: 'inline', bytes });
  });

  it.each([
    ['one byte', Buffer.from([7])],
    ['two bytes', Buffer.from([7, 8])],
    ['three bytes', Buffer.from([7, 8, 9])],
    ['every byte there is', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ])('decodes base64 of %s', (_, bytes) => {
    const source = toInputSource(base64(bytes.toString('base64')), 'images[0]', NO_LIMIT);

    expect(source).toEqual({ kind: 'inline', field: 'images[0]', bytes });
  });

  it.each([
    ['nothing', ''],
    ['a line break', `${TEXT.slice(0, 4)}\n${TEXT.slice(4)}`],
    ['a blank before', ` ${TEXT}`],
    ['a blank behind', `${TEXT} `],
    ['the URL alphabet', TEXT.replaceAll('+', '-').replaceAll('/', '_')],
    ['no padding', TEXT.replace('=', '')],
    ['too much padding', `${TEXT}=`],
    ['padding only', '===='],
    ['junk behind the padding', `${TEXT}AAAA`],
    ['padding in the middle', `AA==${TEXT}`],
    ['bits that no encoder writes', 'AB=='],
    ['a length that cannot be', 'AAAAA'],
    ['a letter beyond ASCII', 'AAÄA'],
    ['NUL', 'AA\u0000A'],
    ['a data URL', `data:image/png;base64,${TEXT}`],
  ])('rejects base64 with %s', (_, data) => {
    expect(() => toInputSource(base64(data), 'images[2]', NO_LIMIT)).toThrow(
      expect.objectContaining({
        code: 'input',
        param: 'images[2]',
        details: { field: 'images[2].data', reason: 'not_base64' },
      }),
    );
  });

  it.each([
    ['data:image/png;base64,', 'image/png'],
    ['data:image/jpeg;base64,', 'image/jpeg'],
    ['data:image/jpg;base64,', 'image/jpg'],
    ['data:image/webp;base64,', 'image/webp'],
    ['DATA:IMAGE/PNG;BASE64,', 'image/png'],
    ['Data:Image/WebP;Base64,', 'image/webp'],
  ])('accepts a data URL that begins with %s', (head, declaredMediaType) => {
    const source = toInputSource(dataUrl(`${head}${TEXT}`), 'mask', NO_LIMIT);

    expect(source).toEqual({ kind: 'inline', field: 'mask', bytes: BYTES, declaredMediaType });
  });

  it.each([
    ['no scheme', `image/png;base64,${TEXT}`],
    ['another scheme', `https://example.com/a.png`],
    ['another type', `data:image/gif;base64,${TEXT}`],
    ['a vector type', `data:image/svg+xml;base64,${TEXT}`],
    ['no type', `data:;base64,${TEXT}`],
    ['a type that only begins right', `data:image/pngx;base64,${TEXT}`],
    ['no base64', `data:image/png,${TEXT}`],
    ['a parameter', `data:image/png;charset=utf-8;base64,${TEXT}`],
    ['a parameter behind', `data:image/png;base64;name=a,${TEXT}`],
    ['a blank', `data:image/png; base64,${TEXT}`],
    ['a blank before', ` data:image/png;base64,${TEXT}`],
    ['no comma', `data:image/png;base64${TEXT}`],
    ['nothing at all', ''],
  ])('rejects a data URL with %s', (_, url) => {
    expect(() => toInputSource(dataUrl(url), 'images[0]', NO_LIMIT)).toThrow(
      expect.objectContaining({
        code: 'input',
        param: 'images[0]',
        details: { field: 'images[0].data_url', reason: 'not_a_data_url' },
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['percent signs', encodeURIComponent(TEXT)],
    ['a fragment', `${TEXT}#here`],
  ])('rejects a data URL that contains %s', (_, data) => {
    expect(() =>
      toInputSource(dataUrl(`data:image/png;base64,${data}`), 'reference_images[1]', NO_LIMIT),
    ).toThrow(
      expect.objectContaining({
        param: 'reference_images[1]',
        details: { field: 'reference_images[1].data_url', reason: 'not_base64' },
      }),
    );
  });

  it.each([
    ['image/png', 'image/png'],
    ['image/PNG', 'image/png'],
    ['image/jpeg', 'image/jpg'],
    ['image/jpg', 'image/jpeg'],
  ])('accepts a media type of %s beside a data URL of %s', (mediaType, inUrl) => {
    const input = { ...dataUrl(`data:${inUrl};base64,${TEXT}`), media_type: mediaType };

    expect(toInputSource(input, 'images[0]', NO_LIMIT)).toMatchObject({ bytes: BYTES });
  });

  it.each(['image/jpeg', 'image/png;q=1', 'png', ''])(
    'rejects a media type of "%s" beside a data URL of image/png',
    (mediaType) => {
      const input = { ...dataUrl(`data:image/png;base64,${TEXT}`), media_type: mediaType };

      expect(() => toInputSource(input, 'images[0]', NO_LIMIT)).toThrow(
        expect.objectContaining({
          code: 'input',
          param: 'images[0]',
          details: { field: 'images[0].media_type', reason: 'media_type_mismatch' },
        }),
      );
    },
  );

  it.each([
    ['image/PNG', 'image/png'],
    ['text/plain', 'text/plain'],
    ['', ''],
  ])('keeps a declared media type of "%s" for the comparison with the bytes', (given, kept) => {
    const source = toInputSource({ ...base64(TEXT), media_type: given }, 'images[0]', NO_LIMIT);

    expect(source.declaredMediaType).toBe(kept);
  });

  it('rejects an image that is too long in the first step', () => {
    const request = { images: [base64('A'.repeat(4000))], mask: null, reference_images: [] };

    expect(() => toInputSources(request, 2997).next()).toThrow(
      expect.objectContaining({
        details: { field: 'images[0].data', reason: 'too_many_bytes' },
      }),
    );
  });

  it.each([1, 2, 3, 4, 5, 6])('accepts %i bytes with a limit of the same number', (length) => {
    const text = Buffer.alloc(length).toString('base64');

    expect(toInputSource(base64(text), 'images[0]', length)).toMatchObject({ bytes: { length } });
  });

  it.each<[ImageInput, Partial<InputSource>]>([
    [
      { type: 'artifact', artifact_id: 'anything', filename: 'a.png' },
      { kind: 'artifact', field: 'images[1]', artifactId: 'anything' },
    ],
    [
      { type: 'artifact', artifact_id: 'a', media_type: 'Image/PNG' },
      { kind: 'artifact', field: 'images[1]', artifactId: 'a', declaredMediaType: 'image/png' },
    ],
    [
      { type: 'url', url: 'no URL' },
      { kind: 'remote', field: 'images[1].url', url: 'no URL' },
    ],
    [
      { type: 'url', url: 'https://a.test/', media_type: 'image/webp' },
      {
        kind: 'remote',
        field: 'images[1].url',
        url: 'https://a.test/',
        declaredMediaType: 'image/webp',
      },
    ],
  ])('does not load the image of %o', (input, source) => {
    expect(toInputSource(input, 'images[1]', NO_LIMIT)).toEqual(source);
  });
});

describe('toStoredSources', () => {
  it('names each image by its position in the request', () => {
    const stored = { type: 'stored', sha256: 'b'.repeat(64), media_type: 'image/png', bytes: 7 };
    const source = { kind: 'stored', sha256: stored.sha256, byteLength: 7 };
    const input = v.parse(StoredInput, stored);

    const inputs = toStoredSources({ images: [input], mask: input, reference_images: [input] });

    expect(inputs).toEqual({
      images: [{ ...source, field: 'images[0]' }],
      mask: { ...source, field: 'mask' },
      references: [{ ...source, field: 'reference_images[0]' }],
    });
  });
});

/** Returns the source of one image in the field `field` of a request. */
function toInputSource(input: ImageInput, field: string, maxBytes: number): InputSource {
  const [, member = '', index = 0] = /^(\w+)(?:\[(\d)\])?$/.exec(field) ?? [];
  const list = [...Array(Number(index)).fill(base64(TEXT)), input];
  const request = {
    images: member === 'images' ? list : [],
    mask: member === 'mask' ? input : null,
    reference_images: member === 'reference_images' ? list : [],
  };
  const inputs = finish(toInputSources(request, maxBytes));
  return toList(inputs).at(-1) ?? expect.fail('no source');
}

function base64(data: string): ImageInput {
  return { type: 'base64', data };
}

function dataUrl(url: string): ImageInput {
  return { type: 'data_url', data_url: url };
}
