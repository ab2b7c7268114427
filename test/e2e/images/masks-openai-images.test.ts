import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { maskOf, noise, samplesOf } from '../../lib/generation/masked-images.ts';
import { inlineImage } from '../../lib/generation/requests.ts';
import { turned } from '../../lib/images/sample-images.ts';
import { createImagesUpstream } from '../../support/images-upstream/images-upstream.ts';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';

const WIDTH = 90;
const HEIGHT = 70;
/** The first sample in each row of the image that may not change. */
const CLOSED_FROM = 40;

afterAll(cleanUp);

describe('a mask through openai-images', () => {
  it.each(['openai', 'sdcpp', 'sglang'] as const)(
    'leaves the rest of the source unchanged (%s)',
    async (dialect) => {
      const upstream = await createImagesUpstream({ dialect });
      const { address } = await startBridge({
        command: 'serve',
        env: { OWN_KEY: upstream.key() ?? '' },
        set: settingsFor(upstream),
      });
      // The source is stored rotated by 90 degrees.
      const raw = { width: HEIGHT, height: WIDTH, channels: 3 } as const;
      const stored = await sharp(noise(1, WIDTH * HEIGHT * 3), { raw })
        .png()
        .toBuffer();
      const source = turned(stored, 'png', 6);
      const edges = { width: WIDTH, height: HEIGHT };
      const mask = await maskOf(edges, (at) => (at % WIDTH < CLOSED_FROM ? 0 : 255));

      const response = await fetch(`${address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'a fox on the left',
          operation: 'edit',
          images: [inlineImage(source)],
          mask: inlineImage(mask),
          parameters: { output_format: 'webp' },
          policies: { compatibility: 'normalize' },
        }),
      });

      const { data, error } = (await response.json()) as {
        data?: [{ b64_json: string }];
        error?: unknown;
      };
      expect(error).toBeUndefined();
      const image = Buffer.from(data?.[0].b64_json ?? '', 'base64');
      const [was, is] = await Promise.all([samplesOf(source), samplesOf(image)]);
      expect([is.width, is.height]).toEqual([WIDTH, HEIGHT]);
      expect(is.data.equals(was.data)).toBe(false);
      for (let y = 0; y < HEIGHT; y += 1) {
        const [from, end] = [(y * WIDTH + CLOSED_FROM) * 4, (y + 1) * WIDTH * 4];
        expect(is.data.subarray(from, end).equals(was.data.subarray(from, end))).toBe(true);
      }
      expect(upstream.counters().drawn).toBe(1);
      await upstream.close();
    },
  );
});

function settingsFor({
  dialect,
  baseUrl,
  models,
  key,
}: Awaited<ReturnType<typeof createImagesUpstream>>): string[] {
  const settings = {
    dialect,
    base_url: baseUrl,
    ...(key() === undefined ? {} : { api_key_env: 'OWN_KEY' }),
    models: JSON.stringify(models),
    image_model: models[0],
  };
  return [
    'default_provider=own',
    ...Object.entries(settings).map(([name, it]) => `providers.openai_images.own.${name}=${it}`),
  ];
}
