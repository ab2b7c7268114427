import { readFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { cleanUp, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

/** Set OVERLOAD_SECONDS=60 for a long run: `OVERLOAD_SECONDS=60 npx vitest run test/e2e/operations/overload.test.ts`. */
const SECONDS = Number(process.env['OVERLOAD_SECONDS'] ?? 3);
const CONCURRENT = 4;
const QUEUED = 8;
const LATENCY_MS = 100;

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

it(
  'serves admitted requests at three times its capacity, rejects the others at once, and recovers',
  async () => {
    const bridge = await startBridge({
      set: [
        `runtime.global.max_concurrent=${CONCURRENT}`,
        `runtime.global.max_queued=${QUEUED}`,
        `providers.sandbox.latency_ms=${LATENCY_MS}`,
      ],
    });
    const create = async () => {
      const startedMs = performance.now();
      const response = await fetch(`${bridge.address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'a fox',
          parameters: { size: '64x64' },
          output: { response_format: 'metadata' },
        }),
      });
      await response.arrayBuffer();
      const { status, headers } = response;
      return {
        status,
        retryAfter: headers.get('retry-after'),
        tookMs: performance.now() - startedMs,
      };
    };
    expect((await create()).status).toBe(200);
    const memoryBefore = await residentBytes(bridge.child.pid);
    const endsMs = performance.now() + SECONDS * 1000;
    const replies: Awaited<ReturnType<typeof create>>[] = [];

    const client = async () => {
      while (performance.now() < endsMs) replies.push(await create());
    };
    await Promise.all(Array.from({ length: 3 * (CONCURRENT + QUEUED) }, client));

    const served = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 503);
    expect(served.length + refused.length).toBe(replies.length);
    expect(served.length).toBeGreaterThan(SECONDS * CONCURRENT);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ retryAfter }) => retryAfter === '1')).toBe(true);
    const median = (times: readonly { tookMs: number }[]) =>
      times.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[times.length >> 1] ?? 0;
    // A rejection does not wait for the work of admitted requests.
    expect(median(refused)).toBeLessThan(median(served));
    expect((await create()).status).toBe(200);
    // The memory of thousands of rejected requests is free again, except the reserve of the heap.
    expect(await residentBytes(bridge.child.pid)).toBeLessThan(memoryBefore + 128 * 1024 * 1024);
    expect((await bridge.end('SIGTERM')).code).toBe(0);
  },
  (SECONDS + 60) * 1000,
);
