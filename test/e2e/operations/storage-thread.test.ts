import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

const FAULT = fileURLToPath(new URL('../../support/storage-fault/program.ts', import.meta.url));
const CLIENTS = 8;
const PAUSED = ['providers.sandbox.latency_ms=600000'];

/** Creates jobs one after the other until the bridge ends. Resolves with the ids that the bridge acknowledged. */
async function createUntilEnd({ address }: StartedBridge, onFirst: () => void): Promise<string[]> {
  const ids: string[] = [];
  try {
    for (;;) {
      const reply = await fetch(`${address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'a lighthouse' }),
      });
      const { id } = (await reply.json()) as { readonly id: string };
      if (reply.status !== 202) continue;
      ids.push(id);
      onFirst();
    }
  } catch {
    return ids;
  }
}

describe('a storage thread that ends by itself', () => {
  test.each([
    ['an error', 'storage', 'error', 'TypeError'],
    ['an exit', 'storage', 'exit', 'BridgeError'],
    ['a full heap', 'storage', 'memory', 'ERR_WORKER_OUT_OF_MEMORY'],
    ['an error of the thread that only reads', 'storage-reader', 'error', 'TypeError'],
  ])(
    'ends the bridge after %s with one line, and no acknowledged job is lost',
    async (_name, thread, fault, fact) => {
      const bridge = await startBridge({
        set: PAUSED,
        env: { NODE_OPTIONS: `--import=${FAULT}`, STORAGE_THREAD: thread, STORAGE_FAULT: fault },
      });
      const { promise: begun, resolve } = Promise.withResolvers<void>();
      const creating = Array.from({ length: CLIENTS }, () => createUntilEnd(bridge, resolve));

      await begun;
      await writeFile(join(bridge.cwd, 'break'), '');
      const acknowledged = (await Promise.all(creating)).flat();
      const { code, stderr } = await bridge.ended;

      expect(code).toBe(1);
      const lines = stderr.split('\n').filter((line) => line.startsWith('image-bridge: '));
      expect(lines).toEqual([expect.stringContaining('the storage thread has ended unexpectedly')]);
      expect(lines[0]).toContain(fact);
      expect(stderr).not.toContain('a text that must not be printed');
      const next = await startBridge({ cwd: bridge.cwd, set: PAUSED });
      const found = await Promise.all(
        acknowledged.map(async (id) => (await fetch(`${next.address}/v1/jobs/${id}`)).status),
      );
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(found.filter((status) => status !== 200)).toEqual([]);
    },
  );
});
