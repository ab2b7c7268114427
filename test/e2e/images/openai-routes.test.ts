import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEventText } from '../../support/event-text.ts';
import { formBytes, formType, type SentPart } from '../../support/form-bytes.ts';
import { createReplyChecker, type OperationRef } from '../../support/reply-checker.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const GENERATIONS = '/v1/images/generations';
const EDITS = '/v1/images/edits';

let bridge: StartedBridge;
let checker: ReturnType<typeof createReplyChecker>;
let image = Buffer.alloc(0);

beforeAll(async () => {
  const photo = new URL('../../data/photos/rocket.jpg', import.meta.url);
  image = await readFile(fileURLToPath(photo));
  bridge = await startBridge({ set: ['server.compat.model_aliases={"old" = "sandbox-basic"}'] });
  const document = await (await fetch(`${bridge.address}/v1/openapi.json`)).json();
  checker = createReplyChecker(document as Record<string, unknown>);
});
afterAll(cleanUp);

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Each test knows the shape of its reply. The checker compares the reply with the OpenAPI document.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly json: any;
  readonly text: string;
}

/** Calls the bridge and checks the reply against the OpenAPI document. */
async function call(
  { method, path }: { readonly method: string; readonly path: string },
  init: { readonly headers?: Record<string, string>; readonly body?: string | Buffer } = {},
  operation: OperationRef = { method, path: path.split('?')[0] ?? path },
): Promise<Reply> {
  const { headers = {}, body } = init;
  const response = await fetch(bridge.address + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  });
  const text = await response.text();
  const head = Object.fromEntries(response.headers);
  const isJson = head['content-type'] === 'application/json';
  const json = isJson ? JSON.parse(text) : undefined;
  checker.check(operation, response.status, head, json ?? text);
  return { status: response.status, headers: head, json, text };
}

function post(path: string, sent: object, headers: Record<string, string> = {}): Promise<Reply> {
  const body = JSON.stringify({ prompt: 'a fox', ...sent });
  const asJson = { 'content-type': 'application/json', ...headers };
  return call({ method: 'POST', path }, { headers: asJson, body });
}

const text = (name: string, content: string): SentPart => ({ name, content });
const file = (name: string, content: Buffer = image): SentPart => ({
  name,
  content,
  filename: 'a.bin',
  type: 'application/octet-stream',
});

function edit(
  parts: readonly SentPart[],
  headers: Record<string, string> = {},
  boundary = 'a-boundary',
): Promise<Reply> {
  const asForm = { 'content-type': formType(boundary), ...headers };
  return call(
    { method: 'POST', path: EDITS },
    { headers: asForm, body: formBytes(parts, boundary) },
  );
}

describe('POST /v1/images/generations', () => {
  it('reports the effective parameters and the changes to all other parameters', async () => {
    const old = { model: 'old', quality: 'hd', size: '256x256', style: 'vivid', seed: 1 };
    const sent = { ...old, complexity: 'high' };

    const { json } = await post(GENERATIONS, sent);

    expect(json).toMatchObject({
      size: '1024x1024',
      bridge_ext: {
        provider: 'sandbox',
        model: 'sandbox-basic',
        ignored_parameters: ['style', 'seed', 'complexity'],
        normalizations: [
          { field: 'quality', requested: 'hd', effective: 'high', reason: 'compatibility_alias' },
          { field: 'size', requested: '256x256', effective: '1024x1024' },
          { field: 'quality', requested: 'high', effective: 'auto' },
          { field: 'complexity', requested: 'high', effective: null },
        ],
        warnings: ['output_size_differs', 'ignored_parameters', 'sandbox_output'],
      },
    });
    expect(json).not.toHaveProperty('quality');
  });

  it.each<[string, object, number, string]>([
    ['a size that the model lacks', { model: 'sandbox-basic', size: '9x9' }, 400, 'size'],
    ['an unsupported field', { style: 'vivid' }, 422, 'style'],
    ['a field that the model lacks', { complexity: 'low' }, 400, 'complexity'],
    ['an unknown complexity', { complexity: 'extreme' }, 422, 'complexity'],
    ['an unknown field', { seed: 1 }, 422, 'seed'],
    ['a field that would change the meaning', { markup: 'x' }, 422, 'markup'],
    ['an unknown format', { output_format: 'gif' }, 422, 'output_format'],
    ['an unknown model', { model: 'unheard-of' }, 400, 'model'],
    ['an unknown provider', {}, 422, 'bridge_ext.provider'],
  ])(
    'rejects %s in strict mode, and names the field that the client sent',
    async (_, sent, status, param) => {
      const provider = param === 'bridge_ext.provider' ? { provider: 'unknown' } : {};
      const bridge_ext = { compatibility: 'strict', ...provider };

      const reply = await post(GENERATIONS, { ...sent, bridge_ext });

      expect(reply).toMatchObject({ status, json: { error: { param } } });
    },
  );

  it.each([
    ['markup', { markup: 'x' }],
    ['mask', { mask: { image_url: 'data:' } }],
    ['output_format', { output_format: 'gif' }],
    ['n', { n: 0 }],
    ['prompt', { prompt: '' }],
    ['bridge_ext.typo', { bridge_ext: { typo: 1 } }],
  ])('rejects a wrong %s in every mode', async (param, sent) => {
    expect(await post(GENERATIONS, sent)).toMatchObject({
      status: 422,
      json: { error: { param } },
    });
  });

  it('accepts any query string, and null values', async () => {
    const sent = { n: null, size: null, user: null, bridge_ext: null };

    expect(await post(`${GENERATIONS}?api-version=1`, sent)).toMatchObject({ status: 200 });
  });

  it('returns the same images only for an equal request under the same key', async () => {
    const key = { 'idempotency-key': 'generations' };
    const first = await post(GENERATIONS, {}, key);

    const again = await post(GENERATIONS, { n: 1 }, key);
    const other = await post(GENERATIONS, { n: 2 }, key);
    const asStream = await post(GENERATIONS, { stream: true }, key);
    const elsewhere = await post('/v1/images', {}, key);

    expect(again.json).toEqual(first.json);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect([other, asStream, elsewhere].map(({ status }) => status)).toEqual([409, 409, 409]);
  });

  it('streams named events', async () => {
    const sent = { stream: true, partial_images: 1, n: 2, response_format: 'url', style: 'vivid' };

    const { text: body, headers } = await post(GENERATIONS, sent);

    const { events } = parseEventText(body);
    expect(headers['content-type']).toBe('text/event-stream');
    const reported = events.map(({ name, data }) => [name, data.type, data.index]);
    const partials = reported.slice(0, 2).sort(([, , one], [, , other]) => one - other);
    const ofKind = (kind: string) => [0, 1].map((index) => [kind, kind, index]);
    // Partial images are sent as soon as they are generated, finished images in order.
    expect(partials).toEqual(ofKind('image_generation.partial_image'));
    expect(reported.slice(2)).toEqual(ofKind('image_generation.completed'));
    expect(events.at(-1)?.data).toMatchObject({
      usage: {
        total_tokens: expect.any(Number),
        input_tokens_details: { text_tokens: expect.any(Number), image_tokens: 0 },
      },
      bridge_ext: { ignored_parameters: ['style'] },
    });
  });

  it('rejects an invalid stream request like any other request', async () => {
    const sent = { stream: true, model: 'sandbox-fail-rate_limited' };

    const { status, headers } = await post(GENERATIONS, sent);

    expect(status).toBe(429);
    expect(headers).toMatchObject({ 'x-should-retry': 'true', 'retry-after-ms': '1000' });
  });

  it('replies 405 to another method', async () => {
    const { status, headers } = await call({ method: 'GET', path: GENERATIONS });

    expect([status, headers['allow']]).toEqual([405, 'POST']);
  });
});

describe('POST /v1/images/edits', () => {
  it('accepts files and fields in any order, under either name, with any declared type', async () => {
    const parts = [
      ...[file('image[]'), text('size', '512x512'), file('image'), text('n', '2')],
      ...[file('reference_image[]'), text('prompt', 'night'), text('user', ''), text('foo', '1')],
    ];

    const { json } = await edit(parts);

    expect(json).toMatchObject({
      size: '512x512',
      data: [{}, {}],
      bridge_ext: { ignored_parameters: ['foo'] },
    });
    const { width, height } = await sharp(Buffer.from(json.data[1].b64_json, 'base64')).metadata();
    expect([width, height]).toEqual([512, 512]);
  });

  it.each<[string, number, string, () => SentPart[]]>([
    ['no file', 422, 'image', () => []],
    ['an invalid image', 400, 'image[1]', () => [file('image'), broken('image')]],
    [
      'an invalid reference image',
      ...([400, 'reference_image[0]'] as const),
      () => [file('image'), broken('reference_image')],
    ],
    ['an invalid mask', 400, 'mask', () => [file('image'), file('mask')]],
    ['two masks', 422, 'mask', () => [file('image'), file('mask'), file('mask')]],
    ['a file of an unknown name', 422, 'photo', () => [file('image'), file('photo')]],
    ['text instead of a file', 422, 'image', () => [text('image', 'x')]],
    ['an invalid number', 422, 'n', () => [file('image'), text('n', 'two')]],
    [
      'a wrong extension',
      ...([422, 'bridge_ext.typo'] as const),
      () => [file('image'), text('bridge_ext', '{"typo":1}')],
    ],
    [
      'too many images for the model',
      ...([400, 'image'] as const),
      () => [file('image'), file('image'), text('model', 'sandbox-basic')],
    ],
  ])('rejects %s', async (_, status, param, parts) => {
    const reply = await edit([text('prompt', 'night'), ...parts()]);

    expect(reply).toMatchObject({ status, json: { error: { param } } });
  });

  it('rejects a truncated form', async () => {
    const headers = { 'content-type': formType('b') };
    const body = formBytes([text('prompt', 'night'), file('image')], 'b').subarray(0, -20);

    const reply = await call({ method: 'POST', path: EDITS }, { headers, body });

    expect(reply.status).toBe(400);
  });

  it('recognizes an equal form by its content, not by its bytes', async () => {
    const key = { 'idempotency-key': 'edits' };
    const parts = [text('prompt', 'night'), file('image')];
    const first = await edit(parts, key, 'one-boundary');

    const again = await edit([...parts].reverse(), key, 'another-boundary');
    const other = await edit([...parts, file('image')], key);

    expect(again.json).toEqual(first.json);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(other.status).toBe(409);
  });

  it('accepts JSON with data URLs only', async () => {
    const image_url = `data:image/jpeg;base64,${image.toString('base64')}`;

    const made = await post(EDITS, { images: [{ image_url }] });
    const refused = await post(EDITS, { images: [{ image_url: 'https://example.com/a.png' }] });

    expect(made.json.data).toHaveLength(1);
    expect(refused).toMatchObject({
      status: 400,
      json: {
        error: { param: 'images[0]', bridge_ext: { details: { field: 'images[0].image_url' } } },
      },
    });
  });

  it('streams events with the names of edits', async () => {
    const { text: body } = await edit([
      ...[text('prompt', 'night'), text('stream', 'true'), text('partial_images', '1')],
      file('image'),
    ]);

    expect(parseEventText(body).events.map(({ name }) => name)).toEqual([
      'image_edit.partial_image',
      'image_edit.completed',
    ]);
  });
});

describe('GET /v1/models', () => {
  it('lists models by the names that a request may use', async () => {
    const { json } = await call({ method: 'GET', path: '/v1/models?limit=1' });

    const ids = json.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['sandbox-image', 'old']));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(['sandbox-basic', 'sandbox/sandbox-basic', 'sandbox%2Fsandbox-basic', 'old'])(
    'reads %s',
    async (id) => {
      const path = `/v1/models/${id}`;

      const { json } = await call({ method: 'GET', path }, {}, 'getModel');

      expect(json).toMatchObject({ id: decodeURIComponent(id), owned_by: 'sandbox' });
    },
  );

  it.each(['unknown', 'sandbox/unknown', 'unknown/sandbox-image', '%E0%A4%A'])(
    'replies 404 for %s',
    async (id) => {
      const reply = await call({ method: 'GET', path: `/v1/models/${id}` }, {}, 'getModel');

      expect(reply.status).toBe(404);
    },
  );

  it('lists the methods for a model whose id has a slash', async () => {
    const { status, headers } = await call({ method: 'PUT', path: '/v1/models/a/b' });

    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

function broken(name: string): SentPart {
  return file(name, image.subarray(0, image.length - 1000));
}
