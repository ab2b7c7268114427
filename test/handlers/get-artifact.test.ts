import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/artifacts/get-artifact.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { invoke } from '../support/invoke.ts';

const id = '0123456789abcdef0123456789abcdef';
const bytes = Buffer.from('image bytes');
const record = {
  id,
  scope: 'anonymous',
  name: 'winter/fox-2.webp',
  format: 'webp' as const,
  width: 4,
  height: 3,
  bytes: bytes.length,
  sha256: 'f'.repeat(64),
  createdSecs: 1,
};

const services = {
  artifacts: {
    async open(scope: string, asked: string) {
      if (scope !== record.scope || asked !== id)
        throw new BridgeError('not_found', 'no such artifact');
      return { record, bytes, sha256: record.sha256 };
    },
    openThumbnail: () => Promise.reject(new Error('unexpected call')),
  },
};

const get = (query = '', headers = {}, asked = id) =>
  invoke(handler, { query, headers, pathParameters: { id: asked } }, services);

describe('getArtifact', () => {
  it('sends the bytes with their filename and all documented headers', async () => {
    const reply = await get();

    expect(reply.status).toBe(200);
    expect(reply.bytes).toEqual(bytes);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(bytes.length),
      etag: `"${record.sha256}"`,
      'content-disposition': 'inline; filename="fox-2.webp"',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
  });

  it('sends an attachment only if requested', async () => {
    expect((await get('download=true')).headers['content-disposition']).toMatch(/^attachment;/);
    expect((await get('download=false')).headers['content-disposition']).toMatch(/^inline;/);
    expect((await get('download=maybe')).status).toBe(422);
  });

  it('sends one range, and 304 for a matching ETag', async () => {
    const part = await get('', { range: 'bytes=0-4' });
    const none = await get('', { 'if-none-match': `"${record.sha256}"` });

    expect([part.status, part.bytes.toString()]).toEqual([206, 'image']);
    expect([none.status, none.bytes.length]).toEqual([304, 0]);
  });

  it('replies to a range beyond the end with 416 and the length', async () => {
    const reply = await get('', { range: 'bytes=99-' });

    expect(reply.status).toBe(416);
    expect(reply.headers['content-range']).toBe(`bytes */${bytes.length}`);
    expect(reply.json).toMatchObject({ error: { code: 'invalid_request' } });
  });

  it.each(['f'.repeat(32), 'nonsense', '../../etc/passwd'])(
    'replies to the id %s with 404',
    async (asked) => {
      const reply = await get('', {}, asked);

      expect(reply.status).toBe(404);
      expect(reply.json).toMatchObject({ error: { code: 'not_found', param: null } });
    },
  );
});
