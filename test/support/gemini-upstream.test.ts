import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGeminiUpstream, type GeminiUpstream } from './gemini-upstream/gemini-upstream.ts';
import { sendPlain } from './upstream/plain-client.ts';

let upstream: GeminiUpstream;

beforeEach(async () => {
  upstream = await createGeminiUpstream({ imageBytes: 30_000 });
});
afterEach(() => upstream.close());

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const text = { text: 'A lighthouse' };
const image = { inlineData: { mimeType: 'image/png', data: PIXEL } };

const body = (parts: readonly object[] = [text], config: object = {}) => ({
  contents: [{ role: 'user', parts }],
  generationConfig: { responseModalities: ['IMAGE'], ...config },
});

interface Changes {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly body?: unknown;
}

async function call({ headers, path, body: sent = body() }: Changes = {}) {
  const reply = await sendPlain({
    url: `${upstream.url}${path ?? '/v1beta/models/gemini-3-pro-image:generateContent'}`,
    headers: { 'content-type': 'application/json', 'x-goog-api-key': upstream.key, ...headers },
    body: JSON.stringify(sent),
  });
  return { status: reply?.status, json: JSON.parse(String(reply?.bytes)) };
}

describe('createGeminiUpstream', () => {
  it('returns an image of the requested size', async () => {
    const config = { imageConfig: { aspectRatio: '3:4', imageSize: '1K' } };

    const { status, json } = await call({ body: body([text, image], config) });

    const { inlineData } = json.candidates[0].content.parts[0];
    const bytes = Buffer.from(inlineData.data, 'base64');
    expect(status).toBe(200);
    expect(inlineData.mimeType).toBe('image/png');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([896, 1200]);
    expect(json.usageMetadata).toMatchObject({ promptTokenCount: 267, totalTokenCount: 1387 });
    expect(upstream.calls).toMatchObject([{ outcome: 'replied', behaviour: 'succeed' }]);
  });

  it.each<[string, Changes, number, string]>([
    ['no key', { headers: { 'x-goog-api-key': '' } }, 400, 'INVALID_ARGUMENT'],
    ['a wrong key', { headers: { 'x-goog-api-key': 'wrong' } }, 400, 'INVALID_ARGUMENT'],
    ['a token', { headers: { authorization: 'Bearer x' } }, 400, 'INVALID_ARGUMENT'],
    ['plain text', { headers: { 'content-type': 'text/plain' } }, 400, 'INVALID_ARGUMENT'],
    ['an unknown model', { path: '/v1beta/models/gemini-9:generateContent' }, 404, 'NOT_FOUND'],
    ['a list', { body: [] }, 400, 'INVALID_ARGUMENT'],
    ['an unknown member', { body: { ...body(), safetySettings: [] } }, 400, 'INVALID_ARGUMENT'],
    [
      'text beside the image',
      { body: body([text], { responseModalities: ['TEXT', 'IMAGE'] }) },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'a ratio that the model lacks',
      { body: body([text], { imageConfig: { aspectRatio: '1:8' } }) },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'a size in lower case',
      { body: body([text], { imageConfig: { imageSize: '2k' } }) },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'an image of another type',
      { body: body([{ inlineData: { mimeType: 'image/jpeg', data: PIXEL } }]) },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'base64 with a space',
      { body: body([{ inlineData: { mimeType: 'image/png', data: ` ${PIXEL}` } }]) },
      400,
      'INVALID_ARGUMENT',
    ],
    ['15 images', { body: body([text, ...Array(15).fill(image)]) }, 400, 'INVALID_ARGUMENT'],
  ])('rejects %s as the API does', async (_what, changes, code, status) => {
    const reply = await call(changes);

    expect(reply.status).toBe(code);
    expect(reply.json.error).toMatchObject({ code, status });
    expect(upstream.calls).toMatchObject([{ outcome: 'refused' }]);
  });

  it('rejects a call without a key in the same way as a call without an account', async () => {
    const reply = await sendPlain({
      url: `${upstream.url}/v1beta/models/gemini-3-pro-image:generateContent`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body()),
    });

    expect(reply?.status).toBe(403);
  });

  it('has no other route', async () => {
    const { status } = await call({ path: '/v1/models/gemini-3-pro-image:generateContent' });

    expect(status).toBe(404);
    expect(upstream.unrouted).toHaveLength(1);
  });

  it('runs the behaviour that the prompt names', async () => {
    const marked = { text: 'A cup [[fail:status=503;finish=NO_IMAGE]]' };

    const first = await call({ body: body([marked]) });
    const second = await call({ body: body([marked]) });

    expect(first.status).toBe(503);
    expect(second.json.candidates[0]).toMatchObject({ finishReason: 'NO_IMAGE' });
  });
});
