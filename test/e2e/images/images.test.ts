import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { cleanUp, type StartedBridge, startBridge, stateOf } from '../../support/start-bridge.ts';

const photo = (name: string) =>
  readFile(fileURLToPath(new URL(`../../data/photos/${name}`, import.meta.url)));

let bridge: StartedBridge;
let checker: ReturnType<typeof createReplyChecker>;

beforeAll(async () => {
  bridge = await startBridge();
  const document = await (await fetch(`${bridge.address}/v1/openapi.json`)).json();
  checker = createReplyChecker(document as Record<string, unknown>);
});
afterAll(cleanUp);

interface CheckedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  // Each test knows the shape of its reply. The checker compares the reply with the OpenAPI document.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly json: any;
}

/** Calls the bridge and checks the reply against the OpenAPI document. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<CheckedReply> {
  const response = await fetch(bridge.address + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const reply = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    bytes,
    json:
      response.headers.get('content-type') === 'application/json'
        ? JSON.parse(bytes.toString())
        : undefined,
  };
  const ref = { method, path: path.split('?')[0] ?? path };
  checker.check(ref, reply.status, reply.headers, reply.json ?? bytes);
  return reply;
}

const create = (body: unknown) => call('POST', '/v1/images', body);

describe('POST /v1/images', () => {
  it('generates an image that decodes to the size and format of the reply', async () => {
    const { status, json } = await create({
      prompt: 'a lighthouse at dusk',
      parameters: { size: '640x320' },
    });

    expect(status).toBe(200);
    const [image] = json.data;
    const bytes = Buffer.from(image.b64_json, 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 640, height: 320 });
    expect(image).toMatchObject({ index: 0, width: 640, height: 320, bytes: bytes.length });
    expect(json.delivered).toEqual([
      { index: 0, size: 'honoured', format: 'unspecified', alpha: 'unspecified' },
    ]);
    expect(json.warnings).toEqual(['sandbox_output']);
  });

  it('splits a request that exceeds one call of the model, and keeps the order', async () => {
    const { json } = await create({
      prompt: 'six of them',
      parameters: { n: 6, size: '64x64' },
      output: { response_format: 'metadata' },
    });

    expect(json.data.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(json.data.map(({ sha256 }: { sha256: string }) => sha256)).size).toBe(6);
    expect(json.data[0]).not.toHaveProperty('b64_json');
  });

  it.each(['png', 'jpeg', 'webp'])('delivers %s as a file and as a link to it', async (format) => {
    const { json } = await create({
      prompt: 'a fox',
      parameters: { output_format: format, size: '96x64' },
      output: { response_format: 'url', directory: 'some/place', filename_prefix: 'fox' },
    });

    const { url, id, sha256 } = json.data[0];
    expect(url).toBe(`${bridge.address}/v1/artifacts/${id}`);
    const artifact = await call('GET', `/v1/artifacts/${id}`);
    expect(artifact.headers).toMatchObject({
      'content-type': `image/${format}`,
      etag: `"${sha256}"`,
    });
    expect((await sharp(artifact.bytes).metadata()).format).toBe(format);
  });

  it('never overwrites an exact name, and adds number suffixes on request', async () => {
    const ask = (collision: string) =>
      create({
        prompt: 'a fox',
        parameters: { size: '64x64' },
        output: { response_format: 'artifact', filename: 'exact', collision },
      });

    const first = await ask('error');
    const second = await ask('error');
    const third = await ask('suffix');

    expect(first.json.data[0].name).toBe('exact.png');
    expect(second.status).toBe(409);
    expect(second.json.error.code).toBe('artifact_exists');
    expect(third.json.data[0].name).toBe('exact-2.png');
  });

  it.each(['coffee.png', 'rocket.jpg'])('edits %s at the size of the photograph', async (name) => {
    const source = await photo(name);
    const { width, height } = await sharp(source).metadata();

    const { status, json } = await create({
      operation: 'edit',
      prompt: 'the same in winter',
      images: [{ type: 'base64', data: source.toString('base64'), filename: name }],
    });

    expect(status).toBe(200);
    expect(json.data[0]).toMatchObject({ width, height });
  });

  it('changes nothing outside a mask', async () => {
    const source = await sharp(await photo('chelsea.png'))
      .removeAlpha()
      .png()
      .toBuffer();
    const { width = 0, height = 0 } = await sharp(source).metadata();
    const mask = Buffer.alloc(width * height * 4, 255);
    for (let y = 0; y < 100; y++) for (let x = 0; x < width; x++) mask[(y * width + x) * 4 + 3] = 0;
    const png = await sharp(mask, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer();

    const { json } = await create({
      operation: 'edit',
      prompt: 'a hat',
      images: [{ type: 'base64', data: source.toString('base64') }],
      mask: { type: 'data_url', data_url: `data:image/png;base64,${png.toString('base64')}` },
    });

    const edited = Buffer.from(json.data[0].b64_json, 'base64');
    const below = { left: 0, top: 120, width, height: height - 120 };
    const raw = (bytes: Buffer) => sharp(bytes).removeAlpha().extract(below).raw().toBuffer();
    expect((await raw(edited)).equals(await raw(source))).toBe(true);
    const above = { left: 0, top: 0, width, height: 80 };
    const top = (bytes: Buffer) => sharp(bytes).removeAlpha().extract(above).raw().toBuffer();
    expect((await top(edited)).equals(await top(source))).toBe(false);
  });

  it('generates alpha if the model supports it, and reports it', async () => {
    const { json } = await create({
      prompt: 'a balloon',
      parameters: { background: 'transparent', size: '128x128', output_format: 'webp' },
    });

    expect(json.delivered[0]).toMatchObject({ alpha: 'honoured', format: 'honoured' });
    const { channels } = await sharp(Buffer.from(json.data[0].b64_json, 'base64')).stats();
    expect(channels[3]).toMatchObject({ min: 0, max: 255 });
  });

  it.each(['b64_json', 'artifact', 'url', 'metadata'])(
    'removes the background for a model without alpha, delivered as %s',
    async (response_format) => {
      const { status, json } = await create({
        prompt: 'a green vase',
        parameters: { background: 'transparent', size: '1024x1024' },
        output: { response_format },
        routing: { model: 'sandbox-basic' },
      });

      expect(status).toBe(200);
      expect(json.delivered[0]).toMatchObject({ size: 'honoured', alpha: 'honoured' });
      expect(json.normalizations).toEqual([
        {
          field: 'parameters.background',
          requested: 'transparent',
          effective: 'transparent',
          reason: 'provider_alpha_emulated_with_local_chroma_key',
        },
      ]);
      expect(json.warnings).toEqual(['sandbox_output']);
      const [image] = json.data;
      if (response_format === 'metadata') return;
      const bytes =
        response_format === 'b64_json'
          ? Buffer.from(image.b64_json, 'base64')
          : (await call('GET', `/v1/artifacts/${image.id}`)).bytes;
      const alpha = await sharp(bytes).extractChannel(3).raw().toBuffer();
      const corners = [0, 1023, 1023 * 1024, 1024 * 1024 - 1].map((index) => alpha[index]);
      expect(corners).toEqual([0, 0, 0, 0]);
      expect(alpha[512 * 1024 + 512]).toBe(255);
    },
  );

  it.each([
    ['sandbox-fail-authentication', 503, 'provider_authentication', false],
    ['sandbox-fail-permission_denied', 403, 'permission_denied', false],
    ['sandbox-fail-safety_rejected', 400, 'moderation_blocked', false],
    ['sandbox-fail-unsupported_capability', 400, 'unsupported_capability', false],
    ['sandbox-fail-rate_limited', 429, 'rate_limit_exceeded', true],
    ['sandbox-fail-overloaded', 503, 'overloaded', true],
    ['sandbox-fail-timeout', 504, 'timeout', false],
    ['sandbox-fail-upstream', 502, 'upstream_error', false],
    ['sandbox-fail-protocol', 502, 'protocol_error', false],
  ])(
    'reports the failure that the rehearsal model %s simulates',
    async (model, status, code, retryable) => {
      const reply = await create({ prompt: 'a fox', routing: { model } });

      expect(reply.status).toBe(status);
      expect(reply.json.error.code).toBe(code);
      expect(reply.json.error.bridge_ext).toMatchObject({ retryable, provider: 'sandbox' });
      expect(reply.headers['x-should-retry']).toBe(String(retryable));
    },
  );

  it('retries a transient failure and reports the attempts', async () => {
    const { status, json } = await create({
      prompt: 'a fox',
      parameters: { size: '64x64' },
      routing: { model: 'sandbox-flaky' },
    });

    expect(status).toBe(200);
    expect(json.warnings).toEqual(['transient_provider_retry_used', 'sandbox_output']);
  });

  it('times out at the deadline and reports if the provider has stopped', async () => {
    const { status, json } = await create({
      prompt: 'a fox',
      timeout_ms: 100,
      routing: { model: 'sandbox-hang' },
    });

    expect(status).toBe(504);
    expect(json.error.bridge_ext).toMatchObject({
      retryable: false,
      details: { outcome: 'unknown', provider_stopped: true },
    });
  });

  it('rejects a mask that the model does not support, in every mode', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#0000' } })
      .png()
      .toBuffer();
    const image = { type: 'base64', data: png.toString('base64') };

    const { status, json } = await create({
      operation: 'edit',
      prompt: 'a hat',
      images: [image],
      mask: image,
      routing: { model: 'sandbox-basic' },
      policies: { compatibility: 'best_effort' },
    });

    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      param: 'mask',
      bridge_ext: { details: { field: 'mask', codex_code: 'AGENT_RASTER_MASK_UNSUPPORTED' } },
    });
  });

  it('names the field of an invalid input image', async () => {
    const data = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');

    const { status, json } = await create({
      operation: 'edit',
      prompt: 'a hat',
      images: [{ type: 'base64', data }],
    });

    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'invalid_image_input', param: 'images[0]' });
  });
});

describe('the other routes', () => {
  it('list providers and capabilities as the document describes them', async () => {
    const { json } = await call('GET', '/v1/providers?limit=100');
    const sandbox = json.items.find(({ name }: { name: string }) => name === 'sandbox');

    expect(sandbox).toMatchObject({
      name: 'sandbox',
      default: true,
      default_model: 'sandbox-image',
    });
    for (const model of sandbox.models) {
      expect((await call('GET', `/v1/providers/sandbox/capabilities?model=${model}`)).status).toBe(
        200,
      );
    }
    expect((await call('GET', '/v1/providers/unknown/capabilities')).status).toBe(404);
    const unknown = await call('GET', '/v1/providers/sandbox/capabilities?model=dall-e-1');
    expect(unknown.json.error.bridge_ext.details.supported_models).toEqual(sandbox.models);
  });

  it('serve health and errors as the document describes them', async () => {
    expect((await call('GET', '/health/live')).json).toEqual({ status: 'live' });
    expect((await call('GET', '/health/ready')).json).toEqual({ status: 'ready' });
    expect((await call('GET', '/v1/artifacts/unknown')).status).toBe(404);
    expect((await call('GET', '/v1/nothing')).status).toBe(404);
    expect((await call('DELETE', '/v1/images')).headers['allow']).toBe('POST');
  });

  it('reply to an artifact request with ranges, headers only, and 304', async () => {
    const { json } = await create({
      prompt: 'parts',
      parameters: { size: '64x64' },
      output: { response_format: 'artifact' },
    });
    const path = `/v1/artifacts/${json.data[0].id}`;

    const whole = await call('GET', path);
    const part = await call('GET', path, undefined, { range: 'bytes=1-3' });
    const none = await call('GET', path, undefined, {
      'if-none-match': String(whole.headers['etag']),
    });
    const head = await call('HEAD', path);
    const beyond = await call('GET', path, undefined, { range: 'bytes=99999999-' });

    expect(part.bytes.toString()).toBe('PNG');
    expect([part.status, none.status, head.status, beyond.status]).toEqual([206, 304, 200, 416]);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.bytes.length).toBe(0);
  });

  it('reply with a thumbnail, its headers, and 304 for a matching ETag', async () => {
    const { json } = await create({
      prompt: 'a small one',
      parameters: { size: '256x128', output_format: 'webp' },
      output: { response_format: 'artifact', filename: 'wide' },
    });
    const path = `/v1/artifacts/${json.data[0].id}/thumbnail`;

    const small = await call('GET', `${path}?edge=64`);
    const full = await call('GET', path);
    const none = await call('GET', `${path}?edge=64`, undefined, {
      'if-none-match': String(small.headers['etag']),
    });
    const head = await call('HEAD', `${path}?edge=64`);
    const wrong = await call('GET', `${path}?edge=4096`);

    const { format, width, height } = await sharp(small.bytes).metadata();
    expect([format, width, height]).toEqual(['png', 64, 32]);
    expect((await sharp(full.bytes).metadata()).width).toBe(256);
    expect([none.status, head.status, wrong.status]).toEqual([304, 200, 422]);
    expect(head.headers).toMatchObject({
      'content-length': String(small.bytes.length),
      'content-disposition': 'inline; filename="wide-64.png"',
    });
    expect(wrong.json.error.param).toBe('edge');
  });

  it('never send a file that was changed outside the bridge', async () => {
    const { json } = await create({
      prompt: 'a victim',
      parameters: { size: '64x64' },
      output: { response_format: 'artifact', filename: 'victim' },
    });
    const path = `/v1/artifacts/${json.data[0].id}`;
    expect((await call('GET', path)).status).toBe(200);
    const file = join(stateOf(bridge.cwd).artifacts, 'victim.png');
    const other = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .png()
      .toBuffer();

    await writeFile(file, other);
    const reply = await call('GET', path);

    const small = await call('GET', `${path}/thumbnail`);

    expect([reply.status, small.status]).toEqual([500, 500]);
    expect(reply.json.error.code).toBe('artifact_error');
    expect(small.json.error.code).toBe('artifact_error');
  });
});

describe('the log and the metrics of the bridge', () => {
  it('contain no prompt, path or name', async () => {
    await create({
      prompt: 'the-secret-prompt',
      parameters: { size: '64x64' },
      user: 'the-secret-user',
    });
    const { headers } = await create({
      prompt: 'the-secret-prompt',
      routing: { model: 'sandbox-fail-protocol' },
    });

    const line = new RegExp(`"image_operation_failed".*"${headers['x-request-id']}"`);
    await expect.poll(() => bridge.stderr()).toMatch(line);
    const log = bridge.stderr();
    expect(log).not.toMatch(/secret|data\/artifacts|bridge-/);
    const entries = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const entry of entries.filter(({ event }) => event !== 'internal_failure')) {
      expect(Object.keys(entry)).toEqual(
        expect.arrayContaining(['time', 'level', 'event', 'trace_id', 'span_id', 'request_id']),
      );
    }
  });
});
