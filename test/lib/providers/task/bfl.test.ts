import { createBlackForestLabs } from '@ai-sdk/black-forest-labs';
import { generateImage } from 'ai';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BFL } from '../../../../lib/providers/task/services/bfl.ts';
import { openTaskRig } from '../../../support/task-rig.ts';
import { BFL_UPSTREAM } from '../../../support/task-upstream/services/bfl.ts';
import {
  createTaskUpstream,
  type TaskUpstream,
} from '../../../support/task-upstream/task-upstream.ts';
import { agentRequest, inputOf, type RequestParts } from '../agent-responses/requests.ts';

const MODELS = ['flux-2-pro', 'flux-kontext-pro', 'flux-pro-1.1', 'flux-pro-1.0-fill'];

let upstream: TaskUpstream;
beforeAll(async () => {
  upstream = await createTaskUpstream({ service: BFL_UPSTREAM });
});
afterAll(() => upstream.close());

function openRig() {
  const settings = { base_url: upstream.url, models: MODELS };
  return openTaskRig({ service: BFL, settings });
}

/** Runs a call with our client. Resolves with the inputs that the emulator accepted. */
async function sentFields(parts: RequestParts) {
  const rig = openRig();
  await rig.run(agentRequest({ model: 'flux-2-pro', ...parts })).result;
  await rig.close();
  return upstream.orders().at(-1)?.fields ?? {};
}

async function png(width: number, height: number): Promise<Buffer> {
  const create = { width, height, channels: 3, background: '#335577' } as const;
  return sharp({ create }).png().toBuffer();
}

describe('BFL', () => {
  it('receives the same body as from the client of the AI SDK', async () => {
    const client = createBlackForestLabs({
      baseURL: `${upstream.url}/v1`,
      apiKey: upstream.key,
      pollIntervalMillis: 1,
    });
    const image = await png(64, 64);
    const { images } = await generateImage({
      model: client.image('flux-2-pro'),
      prompt: { text: 'A lighthouse', images: [image] },
      seed: 7,
      providerOptions: { blackForestLabs: { width: 512, height: 768, outputFormat: 'png' } },
    });
    const theirs = upstream.orders().at(-1)?.fields;

    const ours = await sentFields({
      prompt: 'A lighthouse',
      images: [inputOf(image)],
      parameters: { size: '512x768' },
    });

    expect(images).toHaveLength(1);
    // The seed is random, and a note about the image follows the prompt.
    expect({ ...ours, seed: 7, prompt: 'A lighthouse' }).toEqual(theirs);
    expect(ours['prompt']).toMatch(/^A lighthouse\n\nImage 1 is to be edited\.$/);
  });

  it('sends a ratio to a model with ratios and leaves out what the request leaves to the model', async () => {
    const parameters = { aspect_ratio: '21:9', output_format: 'jpeg' } as const;

    expect(await sentFields({ model: 'flux-kontext-pro', parameters })).toEqual({
      prompt: 'A lighthouse in a storm',
      seed: expect.any(Number),
      output_format: 'jpeg',
      aspect_ratio: '21:9',
    });
  });

  it('sends the mask of the fill model and refuses a call without a mask', async () => {
    const rig = openRig();
    const [image, mask] = await Promise.all([png(96, 64), png(96, 64)]);
    const model = 'flux-pro-1.0-fill';
    const images = [inputOf(image)];

    const fields = await sentFields({ model, images, mask: inputOf(mask) });
    const { ended } = rig.run(agentRequest({ model, images }));

    expect(fields).toMatchObject({
      image: image.toString('base64'),
      mask: mask.toString('base64'),
    });
    expect(await ended).toMatchObject({ code: 'unsupported_capability', param: 'mask' });
    await rig.close();
  });

  it('names the request field of an input that the service rejects', async () => {
    const rig = openRig();

    const { ended } = rig.run(
      agentRequest({ model: 'flux-2-pro', images: [inputOf(Buffer.from('no image'))] }),
    );

    expect(await ended).toMatchObject({ code: 'refused_by_provider', param: 'images[0]' });
    await rig.close();
  });

  it('sends constants as they are', async () => {
    const settings = {
      base_url: upstream.url,
      models: ['flux-2-flex'],
      image_model: 'flux-2-flex',
      constants: { 'flux-2-flex': { steps: 40, seed: 1 } },
    };
    const rig = openTaskRig({ service: BFL, settings });

    await rig.run(agentRequest({ model: 'flux-2-flex' })).result;

    expect(upstream.orders().at(-1)?.fields).toMatchObject({ steps: 40, seed: 1 });
    await rig.close();
  });
});
