import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readPhoto } from '../../lib/images/photos.ts';
import { createImage, firstImage } from '../../support/create-image.ts';
import {
  createGeminiUpstream,
  type GeminiUpstream,
} from '../../support/gemini-upstream/gemini-upstream.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';
import { UPSTREAM_TEXT } from '../../support/upstream/upstream-text.ts';

let upstream: GeminiUpstream;
let bridge: StartedBridge;
let callsBefore = 0;

beforeAll(async () => {
  const keyFile = join(await freshFolder(), 'key');
  upstream = await createGeminiUpstream({ imageBytes: 40_000 });
  await writeFile(keyFile, upstream.key, { mode: 0o600 });
  bridge = await startBridge({
    command: 'serve',
    set: [
      'default_provider=gem',
      'providers.agent_responses.enabled=false',
      'providers.sandbox.enabled=true',
      `providers.gemini.gem.base_url=${upstream.url}`,
      `providers.gemini.gem.api_key_file=${keyFile}`,
      'providers.gemini.gem.transient_backoff_ms=1',
      'runtime.circuit_breaker.enabled=false',
    ],
  });
});
beforeEach(() => {
  callsBefore = upstream.calls.length;
});
afterAll(async () => {
  await cleanUp();
  await upstream.close();
});

const create = (request: object) =>
  createImage(bridge, { prompt: 'a fox', output: { response_format: 'metadata' }, ...request });

/** A fully opaque image. */
function closed(width: number, height: number): Promise<Buffer> {
  const background = { r: 0, g: 0, b: 0, alpha: 1 };
  return sharp({ create: { width, height, channels: 4, background } })
    .png()
    .toBuffer();
}

const callsSince = () => upstream.calls.length - callsBefore;

describe('a gemini provider', () => {
  it('generates an image in the requested shape in strict mode', async () => {
    const { status, json } = await create({
      parameters: { aspect_ratio: '21:9', resolution: '1k' },
    });

    expect(status).toBe(200);
    expect(json).toMatchObject({
      provider: 'gem',
      model: 'gemini-nano-banana-2.1',
      normalizations: [],
      data: [{ width: 1584, height: 672, format: 'png' }],
      usage: { total_tokens: 1129 },
    });
  });

  it('converts an unavoidable JPEG in strict mode', async () => {
    upstream.script('format=jpeg');

    const { status, json } = await create({});

    expect(status).toBe(200);
    expect(json.data).toMatchObject([{ format: 'png' }]);
    expect(json.warnings).toEqual(['output_format_converted']);
  });

  it('generates the nearest shape of the model, and reports it', async () => {
    const policies = { compatibility: 'normalize' };

    const { json } = await create({ parameters: { size: '1920x1080' }, policies });

    expect(json.data).toMatchObject([{ width: 1376, height: 768 }]);
    expect(json.normalizations).toEqual([
      {
        field: 'parameters.size',
        requested: '1920x1080',
        effective: '1376x768',
        reason: 'normalized_to_provider_size',
      },
    ]);
  });

  it('rejects a shape that the model does not support in strict mode, without a call', async () => {
    const { status, json } = await create({
      routing: { model: 'gemini-3.1-flash-lite-image' },
      parameters: { resolution: '4k' },
    });

    expect(status).toBe(400);
    expect(json.error).toMatchObject({ param: 'parameters.resolution' });
    expect(callsSince()).toBe(0);
  });

  it('generates several images with one call each', async () => {
    const { json } = await create({ parameters: { n: 3 } });

    expect(json.data).toHaveLength(3);
    expect(json.usage).toMatchObject({ output_tokens: 3360 });
    expect(callsSince()).toBe(3);
  });

  it('edits photographs that the official client sends', async () => {
    const client = new OpenAI({ apiKey: 'none', baseURL: `${bridge.address}/v1` });
    const photo = new File([readPhoto('chelsea.png')], 'chelsea.png');

    const reply = await client.images.edit({ image: photo, prompt: 'in winter' });

    const bytes = Buffer.from(reply.data?.[0]?.b64_json ?? '', 'base64');
    // The ratio of 451 by 300 pixels is nearest to 3:2.
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1264, 848]);
    expect(callsSince()).toBe(1);
  });

  it('changes nothing outside a mask that is sent as an additional image', async () => {
    const photo = readPhoto('chelsea.png');
    const { width, height } = await sharp(photo).metadata();
    // The mask is open in its left half.
    const mask = await sharp({
      create: { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .composite([{ input: await closed(width - 200, height), left: 200, top: 0 }])
      .png()
      .toBuffer();
    const inline = (bytes: Buffer) => ({ type: 'base64', data: bytes.toString('base64') });

    const reply = await create({
      operation: 'edit',
      images: [inline(photo)],
      mask: inline(mask),
      output: { response_format: 'b64_json' },
    });

    expect(reply.status).toBe(200);
    expect(reply.json.warnings).toEqual(['mask_not_native']);
    const pixels = async (bytes: Buffer, left: number, across: number) =>
      sharp(bytes).extract({ left, top: 0, width: across, height }).removeAlpha().raw().toBuffer();
    const made = firstImage(reply);
    expect(await pixels(made, 200, width - 200)).toEqual(await pixels(photo, 200, width - 200));
    expect(await pixels(made, 0, 100)).not.toEqual(await pixels(photo, 0, 100));
    expect(JSON.parse(String(upstream.calls.at(-1)?.body)).contents[0].parts).toHaveLength(3);
  });

  it('cuts out the background if transparency is requested', async () => {
    const { status, json } = await create({ parameters: { background: 'transparent' } });

    expect(status).toBe(200);
    expect(json.delivered).toMatchObject([{ alpha: 'honoured' }]);
  });

  it.each([
    ['status=503', 2],
    ['status=429,per-minute', 2],
    ['error=200', 2],
  ] as const)('repeats %s once, with success', async (behaviour, calls) => {
    upstream.script(behaviour, 'succeed');

    const { status, json } = await create({});

    expect(status).toBe(200);
    expect(json.warnings).toEqual(['transient_provider_retry_used']);
    expect(callsSince()).toBe(calls);
  });

  it.each([
    ['status=504', 502],
    ['status=502,html', 502],
    ['cut=body', 502],
    ['truncated', 502],
    ['html=200', 502],
    ['close=before-headers', 502],
    ['finish=NO_IMAGE', 502],
    ['image=truncated', 502],
    ['image=pixel-bomb', 502],
    ['image=gif', 502],
    ['image=too-large', 502],
    ['status=429,per-day', 429],
    ['block=SAFETY', 400],
  ] as const)('never repeats %s, and asks the client not to', async (behaviour, expected) => {
    upstream.script(behaviour);

    const { status, json } = await create({});

    expect(status).toBe(expected);
    expect(JSON.stringify(json)).not.toContain(UPSTREAM_TEXT);
    expect(callsSince()).toBe(1);
  });

  it('falls back when its quota is used up, and reports the attempts', async () => {
    upstream.script('status=429,per-day');

    const { json } = await create({ routing: { fallbacks: [{ provider: 'sandbox' }] } });

    expect(json.provider).toBe('sandbox');
    expect(json.attempts).toMatchObject([
      { provider: 'gem', outcome: 'failed', error_code: 'rate_limited' },
      { provider: 'sandbox', outcome: 'succeeded' },
    ]);
  });

  it('does not fall back after a call that may have been charged', async () => {
    upstream.script('status=504');
    const routing = { fallbacks: [{ provider: 'sandbox' }], fallback_policy: 'on_error' };

    const { status, json } = await create({ routing });

    expect(status).toBe(502);
    expect(json.error.bridge_ext.details).toMatchObject({ outcome: 'unknown' });
  });

  it('is listed as ready with its models', async () => {
    const ready = await fetch(`${bridge.address}/health/ready`);
    const models = await (await fetch(`${bridge.address}/v1/models`)).json();

    expect(ready.status).toBe(200);
    expect(JSON.stringify(models)).toContain('"gemini-3-pro-image"');
  });

  it('never shows its key', async () => {
    upstream.setKeys('another');
    const { status, json } = await create({});
    upstream.setKeys(upstream.key);
    const diagnostics = await (await fetch(`${bridge.address}/v1/diagnostics`)).text();

    expect(status).toBe(503);
    expect(json.error).toMatchObject({ code: 'provider_authentication' });
    for (const text of [JSON.stringify(json), diagnostics, bridge.stderr(), bridge.stdout()]) {
      expect(text).not.toContain(upstream.key);
    }
  });
});
