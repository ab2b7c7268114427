import { describe, expect, it } from 'vitest';
import { toMultipartBody } from '../../../../lib/providers/http/multipart-body.ts';

const LARGE = Buffer.alloc(600_000, 'large');
const PARTS = [
  { name: 'prompt', text: 'a line\nanother – line' },
  { name: 'image[]', filename: '1.png', mediaType: 'image/png', bytes: LARGE },
  { name: 'empty', text: '' },
] as const;

async function chunksOf({ body }: ReturnType<typeof toMultipartBody>): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of body.chunks(new AbortController().signal)) chunks.push(chunk);
  return chunks;
}

describe('toMultipartBody', () => {
  it('writes a form that other parsers can read and that has the announced length', async () => {
    const form = toMultipartBody(PARTS, 'boundary-1');

    const bytes = Buffer.concat(await chunksOf(form));

    expect(bytes.length).toBe(form.body.byteLength);
    const headers = { 'content-type': form.contentType };
    const read = await new Response(new Uint8Array(bytes), { headers }).formData();
    const [prompt, image, empty] = [...read];
    expect(prompt).toEqual(['prompt', 'a line\nanother – line']);
    expect(empty).toEqual(['empty', '']);
    expect(image).toEqual([
      'image[]',
      expect.objectContaining({ name: '1.png', type: 'image/png' }),
    ]);
    const file = image?.[1] as File;
    expect(Buffer.from(await file.arrayBuffer()).equals(LARGE)).toBe(true);
  });

  it('sends files from their own buffers in small chunks', async () => {
    const chunks = await chunksOf(toMultipartBody(PARTS, 'b'));

    const ofFile = chunks.filter(({ buffer }) => buffer === LARGE.buffer);
    expect(ofFile.reduce((sum, { length }) => sum + length, 0)).toBe(LARGE.length);
    expect(Math.max(...ofFile.map(({ length }) => length))).toBeLessThan(300_000);
  });

  it('writes the same form for each time it is sent', async () => {
    const form = toMultipartBody(PARTS, 'b');

    expect(Buffer.concat(await chunksOf(form))).toEqual(Buffer.concat(await chunksOf(form)));
  });
});
