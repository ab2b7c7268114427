import { rm } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { handler as createImage } from '../../../handlers/images/create-image.ts';
import { handler as planImage } from '../../../handlers/images/plan-image.ts';
import { handler as createJob } from '../../../handlers/jobs/create-job.ts';
import { handler as listJobs } from '../../../handlers/jobs/list-jobs.ts';
import type { App } from '../../../lib/app.ts';
import type { ImagePlan } from '../../../lib/contract/reply/image-plan.ts';
import type { Provider } from '../../../lib/providers/provider-port.ts';
import { anything } from '../../lib/generation/capability-documents.ts';
import { image } from '../../lib/generation/images.ts';
import { inlineImage } from '../../lib/generation/requests.ts';
import { openComfyRig } from '../../lib/providers/comfyui/comfy-rig.ts';
import { openGeminiRig } from '../../lib/providers/gemini/gemini-rig.ts';
import { openImagesRig } from '../../lib/providers/openai-images/images-rig.ts';
import { makeFolder } from '../../lib/providers/program-rig.ts';
import { invoke } from '../../support/invoke.ts';
import { openApp } from '../../support/open-app.ts';
import { createScriptedProvider, replyWith } from '../../support/scripted-provider.ts';

interface Rig {
  readonly provider: Provider;
  close(): Promise<void>;
}

const local = { dialect: 'localai', models: ['flux'], image_model: 'flux' } as const;

/** A provider, and a request that its capability document allows and that it rejects before sending it. */
const CASES: readonly (readonly [string, () => Rig | Promise<Rig>, () => object, string])[] = [
  [
    'a prompt with a character that its server reads otherwise',
    () => openImagesRig({ settings: local }),
    () => ({ prompt: 'a boat | a ship' }),
    'prompt',
  ],
  [
    'a negative prompt with such a character',
    () => openImagesRig({ settings: local }),
    () => ({ negative_prompt: 'people | birds' }),
    'negative_prompt',
  ],
  [
    'an edit without the mask that its workflow needs',
    openComfyRig,
    () => ({ operation: 'edit', images: [source], routing: { model: 'inpaint' } }),
    'mask',
  ],
  [
    'fewer images than its workflow has inputs',
    openComfyRig,
    () => ({ operation: 'edit', images: [source], routing: { model: 'restyle' } }),
    'images',
  ],
  [
    'more sources and references than it takes together',
    openGeminiRig,
    () => ({
      operation: 'edit',
      images: Array.from({ length: 8 }, () => source),
      reference_images: Array.from({ length: 7 }, () => source),
    }),
    'images',
  ],
];

let png = Buffer.alloc(0);
let source: object = {};
beforeAll(async () => {
  png = await image();
  source = inlineImage(png);
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The application with this provider, and another that accepts every request. */
async function openWith(open: () => Rig | Promise<Rig>) {
  const { provider, close } = await open();
  const folder = await makeFolder('refused-calls');
  const other = createScriptedProvider({
    name: 'other',
    capabilities: anything,
    reply: replyWith(png),
  });
  const app = await openApp({
    folder,
    providers: [provider, other],
    defaultProvider: provider.name,
  });
  closing.push(() => rm(folder, { recursive: true }), close, app.close);
  return { app, provider, other };
}

type Handler = typeof planImage | typeof createImage | typeof createJob;

function post({ services }: App, handler: Handler, body: object) {
  const sent = { prompt: 'a boat', ...body };
  return invoke<typeof services>(handler, { method: 'POST', body: sent }, services);
}

describe.each(CASES)('a provider that rejects %s', (_name, open, request, param) => {
  it('rejects the request in the plan, as a job and as an image, and is not called', async () => {
    const { app, provider } = await openWith(open);
    const body = request();

    const plan = await post(app, planImage, body);
    const job = await post(app, createJob, body);
    const made = await post(app, createImage, body);

    const error = { code: 'unsupported_capability', provider: provider.name };
    expect(plan).toMatchObject({ status: 200, json: { chosen: null, routes: [{ error }] } });
    const refusal = { error: { code: error.code, param, bridge_ext: error } };
    expect(job).toMatchObject({ status: 400, json: refusal });
    expect(made).toMatchObject({ status: 400, json: refusal });
    const [route] = (plan.json as ImagePlan).routes;
    const { details } = (made.json as { error: { bridge_ext: { details: object } } }).error
      .bridge_ext;
    expect(route?.error?.details).toEqual(details);
    // No route was tried.
    expect(details).not.toHaveProperty('provider_attempts');
    const jobs = await invoke<typeof app.services>(listJobs, {}, app.services);
    expect(jobs.json).toEqual({ items: [] });
  });
});

describe('a request that its first provider would reject before sending it', () => {
  const body = {
    prompt: 'a boat | a ship',
    routing: { fallbacks: [{ provider: 'other' }] },
  };

  it('is planned and queued for its fallback, and generated there', async () => {
    const { app, provider, other } = await openWith(() => openImagesRig({ settings: local }));

    const plan = await post(app, planImage, body);
    const job = await post(app, createJob, body);
    const made = await post(app, createImage, body);

    expect(plan.json).toMatchObject({ chosen: 1 });
    const jobs = await invoke<typeof app.services>(listJobs, {}, app.services);
    expect(job.status).toBe(202);
    expect(jobs.json).toMatchObject({ items: [{ status: 'queued', provider: 'other' }] });
    expect(made).toMatchObject({
      status: 200,
      json: {
        provider: 'other',
        attempts: [
          { provider: provider.name, error_code: 'unsupported_capability' },
          { provider: 'other', outcome: 'succeeded' },
        ],
      },
    });
    expect(other.calls).toHaveLength(1);
  });
});
