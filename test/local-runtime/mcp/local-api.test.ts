import { describe, expect, it } from 'vitest';
import { routes } from '../../../handlers/routes.ts';
import type { Services } from '../../../lib/services.ts';
import { createLocalApi } from '../../../local-runtime/mcp/local-api.ts';
import { openHttpSettings } from '../../support/invoke.ts';

const ID = 'a'.repeat(32);

describe('createLocalApi', () => {
  it('returns the bytes of a large image although downloads are redirected to the bucket', async () => {
    const record = { id: ID, name: 'a.png', format: 'png' };
    const artifacts = {
      link: async () => 'https://bucket.example/a.png',
      open: async () => ({ record, bytes: Buffer.from('all bytes'), sha256: 'f'.repeat(64) }),
    };
    const services = () => ({ artifacts }) as unknown as Services;
    const deps = { routes, services, httpSettings: openHttpSettings() };
    const api = createLocalApi(deps, () => ({ host: 'localhost', authorization: undefined }));
    const { signal } = new AbortController();

    const found = await api.bytes('GET /v1/artifacts/{id}', { path: { id: ID }, signal });

    expect(found).toEqual({ bytes: Buffer.from('all bytes'), mediaType: 'image/png' });
  });
});
