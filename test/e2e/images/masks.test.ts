import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler as createImage } from '../../../handlers/images/create-image.ts';
import { handler as planImage } from '../../../handlers/images/plan-image.ts';
import { handler as streamImage } from '../../../handlers/images/stream-image.ts';
import { handler as createJob } from '../../../handlers/jobs/create-job.ts';
import { handler as createImageEdit } from '../../../handlers/openai/create-image-edit.ts';
import type { App } from '../../../lib/app.ts';
import type { ImagesResponse } from '../../../lib/contract/openai/response.ts';
import type { ImagePlan } from '../../../lib/contract/reply/image-plan.ts';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { hinted, maskOf, noise, repaint, samplesOf } from '../../lib/generation/masked-images.ts';
import { inlineImage } from '../../lib/generation/requests.ts';
import { firstImage, type ImageReply } from '../../support/create-image.ts';
import { parseEventText } from '../../support/event-text.ts';
import { invoke } from '../../support/invoke.ts';
import { openApp } from '../../support/open-app.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';

const WIDTH = 45;
const HEIGHT = 37;
const composite = {
  field: 'mask',
  requested: 'native',
  effective: 'composite',
  reason: 'provider_mask_emulated_with_local_composite',
};

const { signal } = new AbortController();

let folder: string;
let app: App;
let source: Buffer;
let mask: Buffer;

const provider = createScriptedProvider({
  name: 'sandbox',
  capabilities: hinted,
  maskForm: 'alpha',
  reply: repaint,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'masks-'));
  app = await openApp({ folder, providers: [provider], defaultProvider: 'sandbox' });
  const raw = { width: WIDTH, height: HEIGHT, channels: 4 } as const;
  source = await sharp(noise(1, WIDTH * HEIGHT * 4), { raw })
    .png()
    .toBuffer();
  mask = await maskOf(raw, (at) => (at % WIDTH < 20 ? 0 : 255));
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

describe('a mask that the provider treats as a hint', () => {
  it('is exact in the reply to a request', async () => {
    const reply = await post(createImage, edit());

    expect(reply.status).toBe(200);
    const { normalizations, warnings } = reply.json;
    expect([normalizations, warnings]).toEqual([[composite], []]);
    await expectExact(firstImage(reply));
  });

  it('is exact on the routes of the official clients', async () => {
    const body = {
      prompt: 'a fox',
      images: [{ image_url: toDataUrl(source) }],
      mask: { image_url: toDataUrl(mask) },
      size: '1024x1024',
    };

    const { status, json } = await post<ImagesResponse>(createImageEdit, body);

    expect(status).toBe(200);
    expect(json.size).toBe(`${WIDTH}x${HEIGHT}`);
    expect(json.bridge_ext.normalizations).toMatchObject([composite, { field: 'size' }]);
    const [image] = json.data;
    if (!image || !('b64_json' in image)) throw new Error('the reply has no inline image');
    await expectExact(Buffer.from(image.b64_json, 'base64'));
  });

  it('is exact in every image of a stream', async () => {
    const { bytes } = await post(streamImage, edit({ parameters: { partial_images: 1 } }));

    const { events } = parseEventText(bytes.toString());
    const partials = events.filter(({ name }) => name === 'partial_image');
    expect(partials).toMatchObject([{ data: { format: 'png', width: WIDTH, height: HEIGHT } }]);
    const last = events.at(-1)?.data.response.data[0];
    for (const { b64_json } of [partials[0]?.data, last]) {
      await expectExact(Buffer.from(b64_json, 'base64'));
    }
  });

  it('is exact in the artifact of a job', async () => {
    const { status, json: job } = await post<ImageJob>(createJob, edit());
    await app.worker.runNext(signal);

    expect(status).toBe(202);
    const { result } = await app.services.jobs.find('anonymous', job.id, 0, signal);
    const [made] = result?.data ?? [];
    if (made?.type !== 'artifact') throw new Error('the job made no artifact');
    const { bytes } = await app.services.artifacts.open('anonymous', made.id, signal);
    await expectExact(bytes);
  });

  it('is rejected before a job is accepted if the mask permits no change', async () => {
    const closed = await maskOf({ width: WIDTH, height: HEIGHT }, () => 255);
    const before = provider.calls.length;

    const replies = [
      await post(createJob, edit({ mask: inlineImage(closed) })),
      await post(createImage, edit({ mask: inlineImage(closed) })),
    ];

    for (const { status, json } of replies) {
      expect([status, json.error.param]).toEqual([400, 'mask']);
      expect(json.error.bridge_ext.details).toEqual({
        field: 'mask',
        reason: 'nothing_may_change',
      });
    }
    expect(provider.calls).toHaveLength(before);
  });

  it('is included in a plan of described images', async () => {
    const described = { type: 'described', format: 'png', width: 45, height: 37, bytes: 200 };
    const body = edit({ images: [described], mask: described });
    const parameters = { size: '64x64', output_format: 'jpeg' };

    const { json: plan } = await post<ImagePlan>(planImage, body);
    const { json: strict } = await post<ImagePlan>(planImage, { ...body, parameters });
    const policies = { compatibility: 'normalize' };
    const { json: changed } = await post<ImagePlan>(planImage, { ...body, parameters, policies });

    expect(plan.routes[0]).toMatchObject({ calls: 1, normalizations: [composite], warnings: [] });
    const edges = { width: 45, height: 37 };
    expect(plan.routes[0]?.edit).toMatchObject({ result: edges, put_back: true });
    const canvas = { x: -3, y: 0, width: 48, height: 37 };
    const { json: extended } = await post<ImagePlan>(
      planImage,
      edit({ images: [{ ...described, canvas }], mask: null }),
    );
    expect(extended.routes[0]?.edit).toMatchObject({
      cut: { width: 48, height: 37 },
      result: { width: 48, height: 37 },
      put_back: true,
    });
    expect(strict.routes[0]?.error?.details).toMatchObject({
      field: 'parameters.size',
      reason: 'mask_keeps_size',
    });
    expect(changed.routes[0]).toMatchObject({
      effective: { size: '45x37' },
      warnings: ['output_format_converted', 'mask_exact_before_encoding'],
    });
  });
});

type Handler = Parameters<typeof invoke<App['services']>>[0];

/** Calls an operation whose reply has the type `T`. */
async function post<T = ImageReply['json']>(
  handler: Handler,
  body: object,
): Promise<{ readonly status: number; readonly bytes: Buffer; readonly json: T }> {
  const reply = await invoke(handler, { method: 'POST', body }, app.services);
  return { ...reply, json: reply.json as T };
}

function edit(changes: object = {}): object {
  return {
    prompt: 'a fox',
    operation: 'edit',
    images: [inlineImage(source)],
    mask: inlineImage(mask),
    ...changes,
  };
}

async function expectExact(image: Buffer): Promise<void> {
  const [was, is] = await Promise.all([samplesOf(source), samplesOf(image)]);
  expect([is.width, is.height]).toEqual([WIDTH, HEIGHT]);
  for (let y = 0; y < HEIGHT; y += 1) {
    const [from, end] = [(y * WIDTH + 20) * 4, (y + 1) * WIDTH * 4];
    expect(is.data.subarray(from, end).equals(was.data.subarray(from, end))).toBe(true);
  }
}

function toDataUrl(bytes: Buffer): string {
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
