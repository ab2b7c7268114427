import { describe, expect, it } from 'vitest';
import { ApiFailure, type BridgeApi } from '../../../lib/mcp/bridge-api.ts';
import { readPreview } from '../../../lib/mcp/preview.ts';

const { signal } = new AbortController();

/** An API whose thumbnails have so many bytes for each pixel of their edge. */
function apiOf(bytesPerPixel: number) {
  const asked: unknown[] = [];
  const api = {
    async bytes(_operation: string, { query }: { query: { edge: number } }) {
      asked.push(query.edge);
      return { bytes: Buffer.alloc(query.edge * bytesPerPixel), mediaType: 'image/png' };
    },
  } as unknown as BridgeApi;
  return { api, asked };
}

describe('readPreview', () => {
  it('takes the largest that a model can be shown', async () => {
    const { api, asked } = apiOf(600);

    const preview = await readPreview('id', { api, signal });

    expect(asked).toEqual([768, 512]);
    expect(preview).toMatchObject({ type: 'image', mimeType: 'image/png' });
  });

  it('is left out where even the smallest is too large', async () => {
    const { api } = apiOf(2000);

    expect(await readPreview('id', { api, signal })).toBeUndefined();
  });

  it('is left out of an image that is there no longer', async () => {
    const api = {
      bytes: () => Promise.reject(new ApiFailure('not_found', 'there is no such artifact')),
    } as unknown as BridgeApi;

    expect(await readPreview('id', { api, signal })).toBeUndefined();
  });
});
