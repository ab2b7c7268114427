import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handler as createPreset } from '../../handlers/presets/create-preset.ts';
import { handler as deletePreset } from '../../handlers/presets/delete-preset.ts';
import { handler as getPreset } from '../../handlers/presets/get-preset.ts';
import { handler as listPresets } from '../../handlers/presets/list-presets.ts';
import { handler as replacePreset } from '../../handlers/presets/replace-preset.ts';
import { openPresets } from '../lib/presets/preset-rig.ts';
import { invoke } from '../support/invoke.ts';

const TEMPLATE = { prompt: 'a flat icon', parameters: { n: 2 } };
const SHOWN = {
  operation: 'generate',
  prompt: 'a flat icon',
  parameters: { n: 2 },
  output: {},
  routing: {},
  session: {},
  policies: {},
  metadata: {},
};
const NOW = Date.UTC(2025, 0, 1) / 1000;

let rig: Awaited<ReturnType<typeof openPresets>>;

beforeEach(async () => {
  rig = await openPresets();
});
afterEach(() => rig.close());

function create(body: object, headers: Record<string, string> = {}) {
  return invoke(createPreset, { method: 'POST', path: '/v1/presets', body, headers }, rig);
}

function replace(name: string, body: object) {
  return invoke(replacePreset, { method: 'PUT', body, pathParameters: { name } }, rig);
}

const read = (name: string) => invoke(getPreset, { pathParameters: { name } }, rig);
const remove = (name: string) =>
  invoke(deletePreset, { method: 'DELETE', pathParameters: { name } }, rig);
const list = (query: string) => invoke(listPresets, { query }, rig);

describe('createPreset', () => {
  it('replies with 201, the preset and its URL', async () => {
    const reply = await create({ name: 'icons', description: 'flat ones', template: TEMPLATE });

    expect(reply.status).toBe(201);
    expect(reply.headers['location']).toBe('/v1/presets/icons');
    expect(reply.json).toEqual({
      name: 'icons',
      description: 'flat ones',
      template: SHOWN,
      created: NOW,
      updated: NOW,
    });
    expect((await read('icons')).json).toEqual(reply.json);
  });

  it('rejects a description of 64 MB without reading or repeating it', async () => {
    const description = 'd'.repeat(64 * 1024 * 1024);

    const reply = await create({ name: 'icons', description, template: TEMPLATE });

    expect(reply.status).toBe(422);
    expect(reply.bytes.length).toBeLessThan(1000);
    expect(reply.json).toMatchObject({
      error: {
        param: 'description',
        bridge_ext: { details: { issues: [{ field: 'description', code: 'invalid_length' }] } },
      },
    });
  });

  it('rejects an existing name', async () => {
    await create({ name: 'icons', template: TEMPLATE });

    const reply = await create({ name: 'icons', template: TEMPLATE });

    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({ error: { code: 'preset_exists' } });
  });

  it('replies to an equal request with the same key with the current preset', async () => {
    const key = { 'idempotency-key': 'once' };
    await create({ name: 'icons', template: TEMPLATE }, key);
    await rig.clock.advance(5000);
    await replace('icons', { description: 'newer', template: {} });

    const reply = await create({ template: TEMPLATE, name: 'icons' }, key);

    expect(reply.status).toBe(201);
    expect(reply.headers['idempotent-replayed']).toBe('true');
    expect(reply.json).toMatchObject({ description: 'newer', created: NOW, updated: NOW + 5 });
  });

  it('rejects a different preset with the same key', async () => {
    const key = { 'idempotency-key': 'once' };
    await create({ name: 'icons', template: TEMPLATE }, key);

    const reply = await create({ name: 'others', template: TEMPLATE }, key);

    expect(reply.status).toBe(409);
    expect(reply.json).toMatchObject({ error: { code: 'idempotency_conflict' } });
    expect((await read('others')).status).toBe(404);
  });

  it('releases the key if the creation fails', async () => {
    const key = { 'idempotency-key': 'once' };
    await create({ name: 'icons', template: TEMPLATE });
    await create({ name: 'icons', template: TEMPLATE }, key);
    await remove('icons');

    const reply = await create({ name: 'icons', template: TEMPLATE }, key);

    expect(reply.status).toBe(201);
    expect(reply.headers['idempotent-replayed']).toBeUndefined();
  });

  it.each([
    [{ name: '-icons', template: {} }, 'name'],
    [{ name: 'a'.repeat(65), template: {} }, 'name'],
    [{ template: {} }, 'name'],
    [{ name: 'icons' }, 'template'],
    [{ name: 'icons', template: { images: [] } }, 'template.images'],
    [{ name: 'icons', template: { idempotency_key: 'k' } }, 'template.idempotency_key'],
    [{ name: 'icons', template: { parameters: { n: 0 } } }, 'template.parameters.n'],
    [{ name: 'icons', description: 'a'.repeat(513), template: {} }, 'description'],
    [{ name: 'icons', template: {}, created: 1 }, 'created'],
  ])('rejects %j at its field', async (body, param) => {
    const reply = await create(body);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param, code: 'invalid_request' } });
  });
});

describe('replacePreset', () => {
  it('replaces everything except the name and the time of creation', async () => {
    await create({ name: 'icons', description: 'flat ones', template: TEMPLATE });
    await rig.clock.advance(5000);

    const reply = await replace('icons', { template: { prompt: 'a round icon' } });

    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      name: 'icons',
      created: NOW,
      updated: NOW + 5,
      template: { ...SHOWN, prompt: 'a round icon', parameters: {} },
    });
  });

  it('replies with 404 for an unknown name', async () => {
    const reply = await replace('icons', { template: {} });

    expect(reply.status).toBe(404);
  });
});

describe('getPreset', () => {
  it.each(['icons', 'Icons', '..', '%00', 'a'.repeat(100)])(
    'replies with 404 for %j',
    async (name) => {
      await create({ name: 'ICONS', template: TEMPLATE });

      const reply = await read(name);

      expect(reply.status).toBe(404);
      expect(reply.json).toMatchObject({ error: { code: 'not_found' } });
    },
  );
});

describe('deletePreset', () => {
  it('replies with 204 without a body, and then with 404', async () => {
    await create({ name: 'icons', template: TEMPLATE });

    const reply = await remove('icons');

    expect(reply.status).toBe(204);
    expect(reply.bytes).toHaveLength(0);
    expect((await remove('icons')).status).toBe(404);
    expect((await read('icons')).status).toBe(404);
  });
});

describe('listPresets', () => {
  const names = ['b', 'A', 'c', 'a', 'B'];

  it('pages through all presets by name', async () => {
    for (const name of names) await create({ name, template: TEMPLATE });
    const seen: string[] = [];
    let query = 'limit=2';

    for (;;) {
      const { json } = await list(query);
      const page = json as { items: { name: string }[]; next_cursor?: string };
      seen.push(...page.items.map(({ name }) => name));
      if (page.next_cursor === undefined) break;
      query = `limit=2&cursor=${page.next_cursor}`;
    }

    expect(seen).toEqual(['A', 'B', 'a', 'b', 'c']);
  });

  it.each(['limit=0', 'limit=101', 'cursor=YQ', 'cursor=%20', 'search=a'])(
    'refuses the query %s at its field',
    async (query) => {
      const reply = await list(query);

      expect(reply.status).toBe(422);
      expect(reply.json).toMatchObject({ error: { param: query.split('=')[0] } });
    },
  );

  it('rejects a modified cursor', async () => {
    for (const name of names) await create({ name, template: TEMPLATE });
    const { json } = await list('limit=2');
    const { next_cursor: cursor = '' } = json as { next_cursor?: string };

    const reply = await list(`cursor=${cursor.replace(/^../, 'ZZ')}`);

    expect(reply.status).toBe(422);
  });
});
