import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateImage } from 'ai';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const PHOTO = new URL('../../data/photos/chelsea.png', import.meta.url);

let bridge: StartedBridge;

beforeAll(async () => {
  bridge = await startBridge({
    set: ['server.compat.model_aliases={"dall-e-3" = "sandbox-image"}'],
  });
});
afterAll(cleanUp);

const openai = () => createOpenAI({ baseURL: `${bridge.address}/v1`, apiKey: 'any' });

describe('the AI SDK with its OpenAI provider', () => {
  it.each(['sandbox-image', 'dall-e-3'])('generates images with %s', async (model) => {
    const { images, warnings } = await generateImage({
      model: openai().image(model),
      prompt: 'a fox',
      n: 2,
      size: '512x256',
      providerOptions: { openai: { quality: 'hd', style: 'vivid' } },
    });

    expect(images).toHaveLength(2);
    expect(warnings).toEqual([]);
    const { width, height } = await sharp(images[1]?.uint8Array).metadata();
    expect([width, height]).toEqual([512, 256]);
  });

  it('edits an image', async () => {
    const photo = await readFile(fileURLToPath(PHOTO));

    const { images } = await generateImage({
      model: openai().image('sandbox-image'),
      prompt: { text: 'night', images: [photo] },
    });

    expect(images).toHaveLength(1);
  });

  it('does not retry a safety refusal', async () => {
    const work = generateImage({
      model: openai().image('sandbox-fail-safety_rejected'),
      prompt: 'a fox',
    });

    const error = await work.catch((thrown: unknown) => thrown);
    expect(APICallError.isInstance(error) && error.statusCode).toBe(400);
  });
});
