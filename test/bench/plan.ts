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
    return [
      {
        what: '`POST /v1/plan`, four routes, five images and a mask described, 1 client',
        ours: p50AndP99(planMs),
        against: '`GET /health/live` from the same client',
        theirs: p50AndP99(liveMs),
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
