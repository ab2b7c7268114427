import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPhoto } from '../../lib/images/photos.ts';
import {
  type ComfyUpstream,
  createComfyUpstream,
} from '../../support/comfyui-upstream/comfyui-upstream.ts';
import { writeWorkflows } from '../../support/comfyui-upstream/workflows.ts';
import { createImage, firstImage } from '../../support/create-image.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

let upstream: ComfyUpstream;
let bridge: StartedBridge;

beforeAll(async () => {
  upstream = await createComfyUpstream({ imageBytes: 30_000 });
  bridge = await startBridge({
    command: 'serve',
    set: [
      'default_provider=comfy',
      'providers.agent_responses.enabled=false',
      `providers.comfyui.comfy.base_url=${upstream.url}`,
      `providers.comfyui.comfy.workflows=${await writeWorkflows(await freshFolder())}`,
      'providers.comfyui.comfy.image_model=draw',
      'providers.comfyui.comfy.transient_backoff_ms=1',
      'runtime.circuit_breaker.enabled=false',
    ],
  });
});
afterAll(async () => {
  await cleanUp();
  await upstream.close();
});

const create = (request: object, signal?: AbortSignal) =>
  createImage(
    bridge,
    { prompt: 'a fox', output: { response_format: 'metadata' }, ...request },
    signal,
  );

const inline = (bytes: Buffer) => ({ type: 'base64', data: bytes.toString('base64') });

describe('a comfyui provider', () => {
  it('generates images one after the other, each with a seed of its own', async () => {
    const { status, json } = await create({ parameters: { n: 2, size: '640x512' } });

    expect(status).toBe(200);
    expect(json.data).toMatchObject([
      { width: 640, height: 512 },
      { width: 640, height: 512 },
    ]);
    const seeds = upstream.prompts.map(({ workflow }) => workflow['3']?.inputs['seed']);
    expect(new Set(seeds).size).toBe(2);
  });

  it('rejects an edit with a workflow without image inputs, and a generation with a workflow with image inputs', async () => {
    const photo = readPhoto('chelsea.png');

    const edit = await create({ operation: 'edit', images: [inline(photo)] });
    const generation = await create({ routing: { model: 'redraw' } });

    expect(edit.json.error).toMatchObject({ code: 'unsupported_capability', param: 'operation' });
    expect(generation.json.error).toMatchObject({ param: 'operation' });
  });

  it('changes nothing outside a mask', async () => {
    const photo = readPhoto('chelsea.png');
    const { width, height } = await sharp(photo).metadata();
    const closed = { r: 0, g: 0, b: 0, alpha: 1 };
    const kept = {
      create: { width: width - 200, height, channels: 4, background: closed },
    } as const;
    const open = { ...kept.create, width, background: { ...closed, alpha: 0 } };
    const mask = await sharp({ create: open })
      .composite([{ input: await sharp(kept).png().toBuffer(), left: 200, top: 0 }])
      .png()
      .toBuffer();

    const reply = await create({
      operation: 'edit',
      routing: { model: 'inpaint' },
      images: [inline(photo)],
      mask: inline(mask),
      output: { response_format: 'b64_json' },
    });

    expect(reply.status).toBe(200);
    expect(reply.json.warnings).toEqual([]);
    const pixels = (bytes: Buffer, left: number, across: number) =>
      sharp(bytes).extract({ left, top: 0, width: across, height }).removeAlpha().raw().toBuffer();
    const made = firstImage(reply);
    expect(await pixels(made, 200, width - 200)).toEqual(await pixels(photo, 200, width - 200));
    expect(await pixels(made, 0, 100)).not.toEqual(await pixels(photo, 0, 100));
  });

  it('retries a rejected prompt once, and never retries a failed prompt', async () => {
    upstream.script('status=503', 'succeed');
    const repeated = await create({});
    upstream.script('failed');
    const before = upstream.prompts.length;
    const failed = await create({});

    expect(repeated.json.warnings).toEqual(['transient_provider_retry_used']);
    expect(failed.status).toBe(502);
    expect(upstream.prompts.length - before).toBe(1);
  });

  it('stops the prompt of a disconnected client', async () => {
    upstream.script('endless');
    const controller = new AbortController();
    const ended = create({}, controller.signal).catch((thrown: unknown) => thrown);
    await upstream.until(() => upstream.prompts.at(-1)?.state === 'running');

    controller.abort();

    await ended;
    await upstream.until(() => upstream.prompts.at(-1)?.state === 'interrupted');
  });

  it('is ready and lists its workflows as models', async () => {
    const ready = await fetch(`${bridge.address}/health/ready`);
    const models = await (await fetch(`${bridge.address}/v1/models`)).text();

    expect(ready.status).toBe(200);
    expect(models).toContain('"inpaint"');
  });
});
