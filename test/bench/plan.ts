import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from './measure/bench.ts';
import { p50AndP99 } from './measure/statistics.ts';

const described = {
  type: 'described',
  format: 'jpeg',
  width: 1024,
  height: 1024,
  bytes: 3_000_000,
};

/** An edit with four routes, a mask and the greatest number of images of a model. */
const BODY = JSON.stringify({
  operation: 'edit',
  prompt: 'the same at night, a green frog in front of it',
  images: Array.from({ length: 5 }, () => described),
  mask: { ...described, format: 'png' },
  parameters: { n: 200, size: '1000x700', background: 'transparent' },
  routing: {
    provider: 'sandbox',
    model: 'sandbox-image',
    fallbacks: ['sandbox-basic', 'sandbox-slow', 'sandbox-hang'].map((model) => ({
      provider: 'sandbox',
      model,
    })),
  },
  policies: { compatibility: 'best_effort' },
});

/** Number of models with prices, and of the rows for each: five operations and qualities, each with three limits of pixels. */
const PRICED_MODELS = 200;
const QUALITIES = ['low', 'medium', 'high', 'standard', 'hd'];
const PIXEL_LIMITS = [1_048_576, 4_194_304, 16_777_216];
const PRICED_ROUTES = 5;

const pricedModel = (nth: number) => `vendor/model-${nth}`;

/** A prices file of 3,000 rows for 200 models. */
const PRICES = Array.from({ length: PRICED_MODELS }, (_, nth) =>
  QUALITIES.flatMap((quality) =>
    PIXEL_LIMITS.map(
      (pixels) =>
        `[[price]]\nkind = "openai_images"\nmodel = "${pricedModel(nth)}"\nquality = "${quality}"\n` +
        `max_pixels = ${pixels}\nper = "image"\namount = "0.04"\n`,
    ),
  ),
)
  .flat()
  .join('\n');

/** Returns a request with the greatest number of routes. The model chooses the quality, so that all rows of a model are compared. */
function pricedBody(request: number): string {
  const [first, ...fallbacks] = Array.from({ length: PRICED_ROUTES }, (_, route) => ({
    provider: 'priced',
    model: pricedModel((request * PRICED_ROUTES + route) % PRICED_MODELS),
  }));
  return JSON.stringify({
    prompt: 'a green frog',
    parameters: { n: 4, size: '1024x1024' },
    routing: { ...first, fallbacks },
  });
}

/** One plan after the other, as a page requests them at each pause in typing. Each is followed by the smallest `GET`. */
export const plan: Bench = {
  name: 'plan',
  async run({ startProgram, folder, rounds }) {
    const program = await startProgram({ command: 'quickstart', folder });
    const address = `http://127.0.0.1:${program.port}`;
    const headers = { 'content-type': 'application/json' };
    const planMs: number[] = [];
    const liveMs: number[] = [];
    for (let request = 0; request < 400 * rounds; request += 1) {
      planMs.push(await timeOf(`${address}/v1/plan`, { method: 'POST', headers, body: BODY }));
      liveMs.push(await timeOf(`${address}/health/live`));
    }
    await program.stop();
    const pricesFile = join(folder, 'prices.toml');
    await writeFile(pricesFile, PRICES);
    const models = Array.from({ length: PRICED_MODELS }, (_, nth) => pricedModel(nth));
    const priced = await startProgram({
      command: 'quickstart',
      folder,
      env: { PRICED_KEY: 'a-made-up-key' },
      settings: [
        `runtime.prices_file=${pricesFile}`,
        'providers.openai_images.priced.base_url=http://127.0.0.1:9/v1',
        'providers.openai_images.priced.api_key_env=PRICED_KEY',
        `providers.openai_images.priced.models=${JSON.stringify(models)}`,
        `providers.openai_images.priced.image_model=${models[0]}`,
      ],
    });
    const pricedMs: number[] = [];
    for (let request = 0; request < 400 * rounds; request += 1) {
      const body = pricedBody(request);
      const url = `http://127.0.0.1:${priced.port}/v1/plan`;
      pricedMs.push(await timeOf(url, { method: 'POST', headers, body }));
    }
    await priced.stop();
    return [
      {
        what: '`POST /v1/plan`, four routes, five images and a mask described, 1 client',
        ours: p50AndP99(planMs),
        against: '`GET /health/live` from the same client',
        theirs: p50AndP99(liveMs),
        budget: 'p50 < 5 ms',
      },
      {
        what: '`POST /v1/plan`, five priced routes of 200 models, 3,000 prices, 1 client',
        ours: p50AndP99(pricedMs),
        budget: 'p50 < 5 ms',
      },
    ];
  },
};

/** Returns the time from the request to the end of the reply in milliseconds. */
async function timeOf(url: string, request?: RequestInit): Promise<number> {
  const startMs = performance.now();
  const reply = await fetch(url, request);
  await reply.arrayBuffer();
  if (!reply.ok) throw new Error(`${url}: status ${reply.status}`);
  return performance.now() - startMs;
}
