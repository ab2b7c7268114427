import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/artifacts/get-artifact.ts';
import type { LinkedHeaders } from '../../lib/artifacts/artifact-files-port.ts';
import type { ArtifactDelivery } from '../../lib/artifacts/delivery.ts';
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

type Link = ArtifactDelivery['link'];

const services = {
  artifacts: {
    async open(scope: string, asked: string) {
      if (scope !== record.scope || asked !== id)
        throw new BridgeError('not_found', 'artifact not found');
      return { record, bytes, sha256: record.sha256 };
    },
    link: async (): Promise<string | undefined> => undefined,
    openThumbnail: () => Promise.reject(new Error('unexpected call')),
  },
};

const get = (query = '', headers = {}, asked = id) =>
  invoke(handler, { query, headers, pathParameters: { id: asked } }, services);

const location = 'https://bucket.example/fox-2.webp?signature=1';

/** Requests an artifact that has a URL outside the bridge. Resolves with the reply and the headers that the URL was asked for. */
async function getLinked(query = '', headers = {}, method = 'GET') {
  const asked: LinkedHeaders[] = [];
  const link: Link = async (_scope, _id, describe) => {
    asked.push(describe(record));
    return location;
  };
  const linked = { artifacts: { ...services.artifacts, link } };
  const request = { method, query, headers, pathParameters: { id } };
  return { reply: await invoke(handler, request, linked), asked };
}

describe('getArtifact', () => {
  it('redirects a download to the URL of the artifact, which has the headers of the file', async () => {
    const { reply, asked } = await getLinked('download=true');

    expect([reply.status, reply.bytes.length]).toEqual([307, 0]);
    expect(reply.headers).toMatchObject({ location, 'cache-control': 'no-store' });
    expect(asked).toEqual([
      {
        'content-type': 'image/webp',
        'content-disposition': 'attachment; filename="fox-2.webp"',
      },
    ]);
  });

  it.each([
    ['a range', { range: 'bytes=0-4' }, 'GET', 206],
    ['a comparison with a copy', { 'if-none-match': '"other"' }, 'GET', 200],
    ['a header that forbids redirects', { 'x-artifact-redirect': 'never' }, 'GET', 200],
    ['the method HEAD', {}, 'HEAD', 200],
  ])('does not redirect a request with %s', async (_, headers, method, status) => {
    const { reply, asked } = await getLinked('', headers, method);

    expect([reply.status, asked]).toEqual([status, []]);
  });

  it('rejects another value of the header that forbids redirects', async () => {
    expect((await getLinked('', { 'x-artifact-redirect': 'always' })).reply.status).toBe(422);
  });

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
