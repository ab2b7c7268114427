import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';
import { IMAGE_ROWS } from './image-rows.ts';
import { observe } from './observe.ts';

type Name = (typeof IMAGE_ROWS)[number]['name'];

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 30_000, completedOutput: 'empty' });
});
afterAll(() => upstream.close());

const PNG_END = Buffer.from('IEND\xAEB`\x82', 'latin1');

type Check = (bytes: Buffer, base64: string) => unknown;

const metadata = (bytes: Buffer) => sharp(bytes, { limitInputPixels: false }).metadata();
const decodes = (bytes: Buffer) => sharp(bytes, { failOn: 'warning' }).stats();
const isBase64 = (text: string) => Buffer.from(text, 'base64').toString('base64') === text;

/** The fault of each image. */
const CHECKS: Readonly<Record<Name, Check>> = {
  'image=gif': async (bytes) => expect((await metadata(bytes)).format).toBe('gif'),
  'image=svg': async (bytes) => expect((await metadata(bytes)).format).toBe('svg'),
  'image=html': (bytes) => expect(bytes.toString()).toMatch(/^<!doctype/),
  'image=pixel-bomb': async (bytes) => {
    expect(await metadata(bytes)).toMatchObject({ format: 'png', width: 30_000, height: 30_000 });
    expect(bytes.length).toBeLessThan(200_000);
  },
  'image=data-bomb': async (bytes) => {
    expect(await metadata(bytes)).toMatchObject({ format: 'png', width: 64, height: 64 });
    expect(bytes.length).toBeGreaterThan(200_000);
  },
  'image=text-bomb': async (bytes) => {
    expect(await metadata(bytes)).toMatchObject({ format: 'png', width: 64, height: 64 });
    expect(bytes.indexOf('zTXtComment')).toBeGreaterThan(0);
    expect(bytes.length).toBeGreaterThan(200_000);
  },
  'image=truncated': (bytes) => expect(decodes(bytes)).rejects.toThrow(),
  'image=trailing': (bytes) => expect(bytes.indexOf(PNG_END)).toBe(bytes.length - 1000 - 8),
  'image=corrupt': (bytes) => expect(decodes(bytes)).rejects.toThrow(),
  'image=other-format': async (bytes) => expect((await metadata(bytes)).format).toBe('jpeg'),
  'image=other-size': async (bytes) => expect((await metadata(bytes)).width).toBe(512),
  'image=with-alpha': async (bytes) => expect((await decodes(bytes)).isOpaque).toBe(false),
  'image=without-alpha': async (bytes) => expect((await decodes(bytes)).isOpaque).toBe(true),
  'image=too-large': (bytes) => expect(bytes).toHaveLength(35_000_000),
  'image=empty': (bytes) => expect(bytes).toHaveLength(0),
  'base64=alphabet': (_, text) => expect(text).toContain('*'),
  'base64=url': (_, text) => expect(text).toMatch(/^[\w=-]*[-_][\w=-]*$/),
  'base64=space': (_, text) => expect(text).toContain(' '),
  'base64=length': (_, text) => expect(text.length % 4).toBe(3),
  'base64=padding': (_, text) => expect(text).toMatch(/==AAAA$/),
  'base64=data-url': (_, text) => expect(text).toMatch(/^data:image\/png;base64,iVBOR/),
  'base64=words': (_, text) => expect(text).toMatch(/^this is/),
  'partial=gif': async (bytes) => expect((await metadata(bytes)).format).toBe('gif'),
  'partial=base64': (_, text) => expect(isBase64(text)).toBe(false),
};

describe('IMAGE_ROWS', () => {
  it.each(IMAGE_ROWS)('corrupts the image as $name says', async ({ name }) => {
    const { results, events, reply } = await observe(upstream, name);

    const partial = events.find((event) => event.partial_image_b64 !== undefined);
    const base64 = partial?.partial_image_b64 ?? results[0] ?? '';
    expect([reply?.end, events.at(-1)?.type]).toEqual(['ended', 'response.completed']);
    expect(results).toHaveLength(1);
    if (name.startsWith('image=')) expect(isBase64(base64)).toBe(true);
    if (name.startsWith('base64=')) expect(isBase64(base64)).toBe(false);
    await CHECKS[name](Buffer.from(base64, 'base64'), base64);
  });
});
