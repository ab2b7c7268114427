import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/artifacts/get-artifact-credentials.ts';
import type { ArtifactCredentials } from '../../lib/contract/resources/artifact-credentials.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { invoke } from '../support/invoke.ts';

const id = '0123456789abcdef0123456789abcdef';

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
