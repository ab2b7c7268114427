import sharp from 'sharp';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { images, json, openImageServer } from '../../lib/providers/openai-images/image-server.ts';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

// biome-ignore lint/suspicious/noExplicitAny: each use knows the shape of the reply that it reads.
type Json = any;

const WAIT_MS = 30_000;

/** Starts the program with a service whose replies have this usage. */
async function start(usage: object) {
  const image = { width: 64, height: 64, channels: 3, background: '#369' } as const;
  const png = await sharp({ create: image }).png().toBuffer();
  const server = await openImageServer(json({ ...images(png), usage }));
  onTestFinished(() => server.close());
  const provider = 'providers.openai_images.own';
  const bridge = await startBridge({
    command: 'serve',
    env: { OWN_KEY: 'a-key-of-the-tests' },
    set: [
      'default_provider=own',
      `${provider}.dialect=openai`,
      `${provider}.base_url=${server.url}/v1`,
      `${provider}.api_key_env=OWN_KEY`,
      `${provider}.models=["gpt-image-2"]`,
      `${provider}.image_model=gpt-image-2`,
    ],
  });
  return async (path: string, body?: object): Promise<Json> => {
    const response = await fetch(bridge.address + path, {
      headers: { 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json();
  };
}

it.each([
  ['tokens beyond the integers of a database', { output_tokens: 1e300, total_tokens: 1e300 }],
  ['tokens of a cost beyond them', { input_tokens: 1, output_tokens: 900_000_000 }],
])('a job ends, and its image is counted, although the service reports %s', async (_, usage) => {
  const call = await start(usage);

  const { id } = await call('/v1/jobs', { prompt: 'A gull' });
  const job = await call(`/v1/jobs/${id}?wait_ms=${WAIT_MS}`);

  expect(job.status).toBe('succeeded');
  expect(job.result.cost).toEqual({ basis: 'unknown' });
  const { items } = await call('/v1/usage');
  expect(items).toMatchObject([{ images: 1, unknown_images: 1, cost: { basis: 'unknown' } }]);
});
