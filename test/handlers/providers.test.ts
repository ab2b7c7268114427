import { describe, expect, it } from 'vitest';
import { handler as getProviderCapabilities } from '../../handlers/providers/get-provider-capabilities.ts';
import { handler as listProviders } from '../../handlers/providers/list-providers.ts';
import { createSealedCursors } from '../../lib/cursors/sealed-cursor.ts';
import { createProviderInventory } from '../../lib/providers/inventory.ts';
import { createProviderRegistry } from '../../lib/providers/registry.ts';
import { invoke } from '../support/invoke.ts';

const services = {
  providers: createProviderInventory({
    registry: createProviderRegistry([], 'sandbox'),
    cursors: createSealedCursors(Buffer.alloc(32)),
  }),
};

describe('listProviders', () => {
  it('replies with a page', async () => {
    const reply = await invoke(listProviders, { path: '/v1/providers' }, services);

    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ items: [] });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['cursor=bm9ib2R5', 'cursor'],
    ['offset=3', 'offset'],
    ['limit=1&limit=2', 'limit'],
  ])('rejects the query %s at its field', async (query, param) => {
    const reply = await invoke(listProviders, { query }, services);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param, code: 'invalid_request' } });
  });
});

describe('getProviderCapabilities', () => {
  it('replies to an unknown provider with 404', async () => {
    const sent = { pathParameters: { name: 'unknown' } };

    const reply = await invoke(getProviderCapabilities, sent, services);

    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ error: { code: 'not_found' } });
  });
});
