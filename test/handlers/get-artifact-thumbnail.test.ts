import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/artifacts/get-artifact-thumbnail.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { invoke } from '../support/invoke.ts';

const id = '0123456789abcdef0123456789abcdef';
const sha256 = 'a'.repeat(64);
const record = {
  id,
  scope: 'anonymous',
  name: 'winter/v1.2-fox.webp',
  format: 'webp' as const,
  width: 4,
  height: 3,
  bytes: 13,
  sha256: 'f'.repeat(64),
  createdSecs: 1,
};

const services = {
  artifacts: {
    open: () => Promise.reject(new Error('unexpected call')),
    link: () => Promise.reject(new Error('unexpected call')),
    async openThumbnail(scope: string, asked: string, edgePx: number) {
      if (scope !== record.scope || asked !== id)
        throw new BridgeError('not_found', 'artifact not found');
      return { record, bytes: Buffer.from(`thumbnail of ${edgePx}`), sha256 };
    },
  },
};

const get = (query = '', headers = {}, asked = id) =>
  invoke(handler, { query, headers, pathParameters: { id: asked } }, services);

describe('getArtifactThumbnail', () => {
  it('sends a PNG of 320 pixels with all documented headers', async () => {
    const reply = await get();

    expect(reply.status).toBe(200);
    expect(reply.bytes.toString()).toBe('thumbnail of 320');
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '16',
      etag: `"${sha256}"`,
      'content-disposition': 'inline; filename="v1.2-fox-320.png"',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(reply.headers).not.toHaveProperty('accept-ranges');
  });

  it.each([32, 2048])('accepts an edge of %i', async (edge) => {
    expect((await get(`edge=${edge}`)).bytes.toString()).toBe(`thumbnail of ${edge}`);
  });

  it.each([
    ['edge=31', 'edge'],
    ['edge=2049', 'edge'],
    ['edge=-320', 'edge'],
    ['edge=320.5', 'edge'],
    ['edge=1e2', 'edge'],
    ['edge=wide', 'edge'],
    ['edge=64&edge=64', 'edge'],
    ['width=320', 'width'],
  ])('rejects %s and names %s', async (query, param) => {
    const reply = await get(query);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { code: 'invalid_request', param } });
  });

  it('replies with 304 to a matching ETag and ignores a range', async () => {
    const none = await get('', { 'if-none-match': `"${sha256}"` });
    const other = await get('', { 'if-none-match': `"${record.sha256}"` });
    const part = await get('', { range: 'bytes=0-3' });

    expect([none.status, none.bytes.length, none.headers['etag']]).toEqual([304, 0, `"${sha256}"`]);
    expect(other.status).toBe(200);
    expect([part.status, part.bytes.length]).toEqual([200, 16]);
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
