import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/artifacts/get-artifact-credentials.ts';
import { handler as manifestHandler } from '../../handlers/artifacts/get-artifact-manifest.ts';
import type { ArtifactCredentials } from '../../lib/contract/resources/artifact-credentials.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { invoke } from '../support/invoke.ts';

const id = '0123456789abcdef0123456789abcdef';

const store = Buffer.from('\0\0\0\x0ajumb\0\0', 'latin1');

const report: ArtifactCredentials = {
  provenance: { found: 'present', credentials: 'kept', mark: 'none' },
  state: 'valid',
  manifest: {
    signer: 'Example Organisation',
    actions: [{ action: 'c2pa.opened' }],
    ingredients: [
      {
        relationship: 'parentOf',
        format: 'image/png',
        manifest: { generator: 'provider 1.0', actions: [], ingredients: [] },
      },
    ],
  },
};

const services = {
  artifactCredentials: {
    async report(scope: string, asked: string) {
      if (scope !== 'anonymous' || asked !== id) {
        throw new BridgeError('not_found', 'artifact not found');
      }
      return report;
    },
    async manifest(_: string, asked: string) {
      if (asked !== id) throw new BridgeError('not_found', 'artifact not found');
      return { name: 'foxes/a.fox.png', store };
    },
  },
};

const get = (asked: string, query = '') =>
  invoke(handler, { query, pathParameters: { id: asked } }, services);

describe('getArtifactCredentials', () => {
  it('returns the state, the recorded facts and the chain of manifests', async () => {
    const reply = await get(id);

    expect(reply.status).toBe(200);
    expect(reply.json).toEqual(report);
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store' });
  });

  it('replies to an unknown id with 404', async () => {
    const reply = await get('f'.repeat(32));

    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ error: { code: 'not_found' } });
  });

  it('rejects a query and names its field', async () => {
    const reply = await get(id, 'depth=9');

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { code: 'invalid_request', param: 'depth' } });
  });
});

describe('getArtifactManifest', () => {
  const getManifest = (asked: string) =>
    invoke(manifestHandler, { pathParameters: { id: asked } }, services);

  it('returns the manifest store as a file with the name of the image', async () => {
    const reply = await getManifest(id);

    expect(reply.status).toBe(200);
    expect(reply.bytes.equals(store)).toBe(true);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/c2pa',
      'content-disposition': 'attachment; filename="a.fox.c2pa"',
      'cache-control': 'no-store',
    });
  });

  it('replies to an unknown id with 404', async () => {
    const reply = await getManifest('f'.repeat(32));

    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ error: { code: 'not_found' } });
  });
});
