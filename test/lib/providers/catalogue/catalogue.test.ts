import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../../lib/net/http-client.ts';
import { createCatalogue } from '../../../../lib/providers/catalogue/catalogue.ts';
import { LEAVES_AFTER_MS } from '../../../../lib/providers/catalogue/catalogue-state.ts';
import { EndpointFacts } from '../../../../lib/providers/task/catalogue/endpoint-facts.ts';
import { FAL_LISTS } from '../../../../lib/providers/task/catalogue/fal-page.ts';
import { replicateModels } from '../../../../lib/providers/task/catalogue/replicate-page.ts';
import { falModel, falPage, replicateModel } from '../../../support/catalogue-replies.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { type ImageServer, openImageServer } from '../openai-images/image-server.ts';

const HOUR_MS = 3_600_000;

type Answer = (path: string) => { readonly status?: number; readonly body: unknown };

const state = mkdtempSync(join(tmpdir(), 'catalogue-'));
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(join(state, 'catalogue'), { recursive: true, force: true });
});

/** Starts a service whose replies depend on the path. A text is sent as it is. */
async function serve(answer: Answer): Promise<ImageServer> {
  const server = await openImageServer(({ path }, response) => {
    const { status = 200, body } = answer(path);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  opened.push(server);
  return server;
}

/** Opens the catalogue of a service, as one process has it. */
function openCatalogue(
  server: ImageServer,
  parts: {
    kind?: 'fal' | 'replicate';
    paths?: readonly string[];
    listed?: readonly string[] | undefined;
  } = {},
) {
  const { kind = 'fal', paths = FAL_LISTS, listed } = { listed: [], ...parts };
  const passing = createManualClock();
  let setBackMs = 0;
  const clock = { ...passing, nowMs: () => passing.nowMs() - setBackMs };
  const httpClient = createHttpClient();
  const catalogue = createCatalogue({
    kind,
    provider: 'pictures',
    address: server.url,
    paths,
    headers: async () => ({ authorization: 'Key secret' }),
    hours: 24,
    constants: {},
    listed,
    facts: EndpointFacts,
    stateDirectory: state,
    httpClient,
    clock,
  });
  opened.push(catalogue, httpClient);
  return {
    ...catalogue,
    clock,
    setClockBack: (byMs: number) => {
      setBackMs += byMs;
    },
    refresh: () => catalogue.published.refresh.run(new AbortController().signal),
    names: () => [...catalogue.models().keys()].sort(),
  };
}

/** An answer with these models, on one page for each category. */
const listing =
  (names: () => readonly string[]): Answer =>
  (path) => {
    const edits = path.includes('category=image-to-image');
    const models = names().filter((name) => name.endsWith('/edit') === edits);
    return { body: falPage(models.map((name) => falModel(name, edits))) };
  };

const PER_MEGAPIXEL = { per: 'megapixel', hasDecimalMegapixels: true, amount: '0.025' };

/** Answers with the price of each endpoint in a path. */
const pricing: Answer = (path) => {
  const names = new URL(path, 'http://x').searchParams.getAll('endpoint_id');
  const prices = names.map((endpoint_id) => ({
    ...{ endpoint_id, unit_price: 0.025, unit: 'megapixels', currency: 'USD' },
  }));
  return { body: { prices, next_cursor: null, has_more: false } };
};

describe('createCatalogue', () => {
  it('reads all pages of all categories with the key of the account', async () => {
    const server = await serve((path) => {
      if (path.includes('image-to-image')) return { body: falPage([falModel('fal/a/edit', true)]) };
      return path.includes('cursor=')
        ? { body: falPage([falModel('fal/b')]) }
        : { body: falPage([falModel('fal/a')], 'next page') };
    });
    const catalogue = openCatalogue(server);

    await catalogue.refresh();

    expect(catalogue.names()).toEqual(['fal/a', 'fal/a/edit', 'fal/b']);
    expect(catalogue.models().get('fal/a')?.mapping).toMatchObject({
      count: { name: 'num_images', max: 4 },
      size: { form: 'object', name: 'image_size' },
    });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => 'Key secret'),
    );
  });

  it("reads Replicate's collection and each of its models, and a listed model that is absent", async () => {
    const server = await serve((path) => {
      if (path === '/collections/text-to-image') {
        return {
          body: {
            models: [
              { owner: 'bfl', name: 'flux' },
              { owner: 'x', name: 'gone' },
            ],
          },
        };
      }
      return path === '/models/bfl/flux'
        ? { body: replicateModel('bfl', 'flux') }
        : { status: 404, body: { detail: 'not found' } };
    });

    const all = openCatalogue(server, { kind: 'replicate', paths: ['/collections/text-to-image'] });
    await all.refresh();
    expect(all.names()).toEqual(['bfl/flux']);

    const paths = replicateModels(['bfl/flux:1234', 'bfl/flux', 'x/gone']);
    const listed = openCatalogue(server, { kind: 'replicate', paths });
    await listed.refresh();
    expect(listed.names()).toEqual(['bfl/flux']);
  });

  it('is refreshed at the start and then every `catalogue_hours`', async () => {
    const server = await serve(listing(() => ['fal/a', 'fal/a/edit']));
    const catalogue = openCatalogue(server);

    await catalogue.refresh();
    await catalogue.clock.advance(24 * HOUR_MS - 1);
    await catalogue.refresh();
    expect(server.received).toHaveLength(2);
    expect(catalogue.published.ageSecs()).toBeCloseTo(24 * 3600);

    await catalogue.clock.advance(1);
    await catalogue.refresh();
    expect(server.received).toHaveLength(4);
    expect(catalogue.published.ageSecs()).toBe(0);
  });

  it('is refreshed although the clock of the system was set back by a year', async () => {
    const server = await serve(listing(() => ['fal/a', 'fal/a/edit']));
    const catalogue = openCatalogue(server);
    await catalogue.refresh();
    const requests = server.received.length;

    catalogue.setClockBack(365 * 24 * HOUR_MS);
    await catalogue.refresh();

    expect(server.received).toHaveLength(2 * requests);
  });

  it('looks again after an hour for a model that an answer misses, and then removes the model', async () => {
    let names = ['fal/a', 'fal/b', 'fal/c'];
    const server = await serve(listing(() => names));
    const catalogue = openCatalogue(server);
    await catalogue.refresh();

    names = ['fal/a', 'fal/b'];
    await catalogue.clock.advance(24 * HOUR_MS);
    await catalogue.refresh();
    expect(catalogue.names()).toEqual(['fal/a', 'fal/b', 'fal/c']);
    expect(catalogue.published.hasLeft('fal/c')).toBe(false);

    await catalogue.clock.advance(LEAVES_AFTER_MS);
    await catalogue.refresh();
    expect(catalogue.names()).toEqual(['fal/a', 'fal/b']);
    expect(catalogue.published.hasLeft('fal/c')).toBe(true);

    names = ['fal/a', 'fal/b', 'fal/c'];
    await catalogue.clock.advance(24 * HOUR_MS);
    await catalogue.refresh();
    expect(catalogue.published.hasLeft('fal/c')).toBe(false);
  });

  it('removes a model whose call is rejected, until an answer lists the model again', async () => {
    const server = await serve(listing(() => ['fal/a', 'fal/b']));
    const catalogue = openCatalogue(server);
    await catalogue.refresh();

    catalogue.remove('fal/a');
    catalogue.remove('fal/unknown');

    expect(catalogue.names()).toEqual(['fal/b']);
    expect(catalogue.published.hasLeft('fal/a')).toBe(true);
    expect(catalogue.published.hasLeft('fal/unknown')).toBe(false);
    await catalogue.clock.advance(24 * HOUR_MS);
    await catalogue.refresh();
    expect(catalogue.names()).toEqual(['fal/a', 'fal/b']);
  });

  it.each<readonly [string, Answer]>([
    ['an error', () => ({ status: 500, body: { detail: 'failed' } })],
    ['HTML', () => ({ body: '<html></html>' })],
    ['JSON of another form', () => ({ body: { data: [] } })],
    ['no models', () => ({ body: falPage([]) })],
    ['half of the models', listing(() => ['fal/a', 'fal/x'])],
    [
      'a page that never ends',
      (path) => ({ body: falPage([], path.length > 9000 ? null : `${path}!`) }),
    ],
  ])(
    'keeps its models after an answer with %s, and tries again after ten minutes',
    async (_, bad) => {
      let answer: Answer = listing(() => ['fal/a', 'fal/b', 'fal/c']);
      const server = await serve((path) => answer(path));
      const catalogue = openCatalogue(server);
      await catalogue.refresh();
      const before = catalogue.models();

      answer = bad;
      await catalogue.clock.advance(24 * HOUR_MS);
      await expect(catalogue.refresh()).rejects.toMatchObject({ code: 'upstream' });

      expect(catalogue.models()).toBe(before);
      const requests = server.received.length;
      await catalogue.refresh();
      expect(server.received).toHaveLength(requests);
      answer = listing(() => ['fal/a', 'fal/b', 'fal/c', 'fal/d']);
      await catalogue.clock.advance(HOUR_MS / 6);
      await catalogue.refresh();
      expect(catalogue.names()).toContain('fal/d');
    },
  );

  it('keeps its last good answer in a file for the next start', async () => {
    const server = await serve(listing(() => ['fal/a', 'fal/b']));
    const first = openCatalogue(server);
    await first.refresh();

    const second = openCatalogue(server);

    await second.published.firstAnswer;
    expect(second.models()).toEqual(first.models());
    expect(second.published.ageSecs()).toBe(0);
    expect(readFileSync(join(state, 'catalogue', 'pictures.json'), 'utf8')).not.toContain('secret');
  });

  it.each<readonly [string, Answer]>([
    ['it has read', listing(() => ['fal/a'])],
    ['it could not read', () => ({ status: 500, body: {} })],
  ])('has its first answer after an answer that %s', async (_, answer) => {
    const server = await serve(answer);
    const catalogue = openCatalogue(server);
    let isKnown = false;
    const known = catalogue.published.firstAnswer.then(() => {
      isKnown = true;
    });

    await catalogue.clock.advance(1);
    const before = isKnown;
    await catalogue.refresh().catch(() => undefined);
    await known;

    expect(before).toBe(false);
  });

  it('ignores a file that is damaged or that lists the models of another address', async () => {
    const [server, other] = [
      await serve(listing(() => ['fal/a'])),
      await serve(listing(() => ['fal/b'])),
    ];
    await openCatalogue(server).refresh();

    expect(openCatalogue(other).names()).toEqual([]);
    writeFileSync(join(state, 'catalogue', 'pictures.json'), '{"version": 1, "models": {"fal');
    expect(openCatalogue(server).names()).toEqual([]);
  });

  it('reads the prices of listed models and of the endpoints that edit with them', async () => {
    const server = await serve((path) => {
      if (path.startsWith('/v1/models/pricing')) return pricing(path);
      return listing(() => ['fal/a', 'fal/a/edit', 'fal/b'])(path);
    });
    const catalogue = openCatalogue(server, { listed: ['fal/a', 'fal/unknown'] });

    await catalogue.refresh();

    expect([...catalogue.offers()]).toEqual([
      ['fal/a', [{ upstreams: [], prices: [PER_MEGAPIXEL] }]],
      ['fal/a/edit', [{ upstreams: [], prices: [PER_MEGAPIXEL] }]],
    ]);
    const paths = server.received.map(({ path }) => path).filter((path) => /pricing/.test(path));
    expect(paths).toEqual([
      '/v1/models/pricing?endpoint_id=fal%2Fa',
      '/v1/models/pricing?endpoint_id=fal%2Fa%2Fedit',
    ]);
  });

  it('asks for the prices of all models in groups of 50, and keeps the prices in its file', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `fal/m${at}`);
    const server = await serve((path) =>
      path.startsWith('/v1/models/pricing') ? pricing(path) : listing(() => names)(path),
    );
    const first = openCatalogue(server, { listed: undefined });

    await first.refresh();

    const requests = server.received.filter(({ path }) => /pricing/.test(path));
    expect(requests).toHaveLength(2);
    expect(first.offers().size).toBe(60);
    const second = openCatalogue(server, { listed: undefined });
    expect(second.offers()).toEqual(first.offers());
  });

  it('keeps the models and the earlier prices if prices cannot be read, and tries again after an hour', async () => {
    let answer: Answer = pricing;
    const server = await serve((path) =>
      path.startsWith('/v1/models/pricing') ? answer(path) : listing(() => ['fal/a'])(path),
    );
    const catalogue = openCatalogue(server, { listed: ['fal/a'] });
    await catalogue.refresh();
    const before = catalogue.offers().get('fal/a');

    answer = () => ({ status: 500, body: '<html></html>' });
    await catalogue.clock.advance(24 * HOUR_MS);
    await catalogue.refresh();
    const failed = catalogue.offers().get('fal/a');
    answer = () => ({ body: { prices: [] } });
    await catalogue.clock.advance(HOUR_MS);
    await catalogue.refresh();

    expect(catalogue.names()).toEqual(['fal/a']);
    expect(before).toHaveLength(1);
    expect(failed).toEqual(before);
    expect(catalogue.offers().get('fal/a')).toEqual([]);
  });

  it.each([
    ['images', 0.04, { per: 'image', amount: '0.04' }],
    ['megapixels', '0.025', PER_MEGAPIXEL],
    ['seconds', 0.0005, { per: 'second', amount: '0.0005' }],
    ['requests', 1, { per: 'call', amount: '1' }],
    ['compute_seconds', 0.00007, { per: 'unit', amount: '0.00007' }],
  ])('reads a price per %s', async (unit, unit_price, expected) => {
    const price = { endpoint_id: 'fal/a', unit_price, unit, currency: 'USD' };
    const server = await serve((path) =>
      path.startsWith('/v1/models/pricing')
        ? { body: { prices: [price] } }
        : listing(() => ['fal/a'])(path),
    );
    const catalogue = openCatalogue(server, { listed: ['fal/a'] });

    await catalogue.refresh();

    expect(catalogue.offers().get('fal/a')).toEqual([{ upstreams: [], prices: [expected] }]);
  });

  it.each([
    ['in another currency', { currency: 'EUR' }],
    ['that is negative', { unit_price: -1 }],
    ['of another endpoint', { endpoint_id: 'fal/other' }],
  ])('ignores a price %s', async (_, changes) => {
    const price = { endpoint_id: 'fal/a', unit_price: 1, unit: 'images', currency: 'USD' };
    const server = await serve((path) =>
      path.startsWith('/v1/models/pricing')
        ? { body: { prices: [{ ...price, ...changes }] } }
        : listing(() => ['fal/a'])(path),
    );
    const catalogue = openCatalogue(server, { listed: ['fal/a'] });

    await catalogue.refresh();

    expect(catalogue.offers().get('fal/a')).toEqual([]);
  });

  it('omits models whose schemas are hostile', async () => {
    const cycle = {
      anyOf: Array.from({ length: 20 }, () => ({ $ref: '#/components/schemas/Input' })),
    };
    const hostile = falModel('fal/hostile') as { openapi: { components: unknown } };
    hostile.openapi.components = { schemas: { Input: cycle } };
    const models = [
      hostile,
      falModel('../../etc'),
      null,
      7,
      { endpoint_id: 'fal/x' },
      falModel('fal/a'),
    ];
    const server = await serve(() => ({ body: falPage(models as object[]) }));
    const catalogue = openCatalogue(server);

    await catalogue.refresh();

    expect(catalogue.names()).toEqual(['fal/a']);
  });

  it('keeps 1,500 models and rejects an answer with more than 3,000', async () => {
    let count = 1500;
    const page = 50;
    const server = await serve((path) => {
      if (path.includes('image-to-image')) return { body: falPage([]) };
      const from = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0);
      const models = Array.from({ length: page }, (_, at) => falModel(`fal/m${from + at}`));
      return { body: falPage(models, from + page < count ? String(from + page) : null) };
    });
    const catalogue = openCatalogue(server);

    await catalogue.refresh();
    expect(catalogue.models().size).toBe(1500);
    expect(existsSync(join(state, 'catalogue', 'pictures.json'))).toBe(true);

    count = 3050;
    await catalogue.clock.advance(24 * HOUR_MS);
    await expect(catalogue.refresh()).rejects.toMatchObject({
      details: { reason: 'too_many_models' },
    });
    expect(catalogue.models().size).toBe(1500);
  });
});
