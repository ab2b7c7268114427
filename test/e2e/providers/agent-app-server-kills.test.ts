import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import { childSettings, isRunning } from '../../lib/providers/agent-app-server/child-rig.ts';
import { plainPng } from '../../support/agent-child/png.ts';
import { createImage } from '../../support/create-image.ts';
import { createResponsesUpstream } from '../../support/responses-upstream/responses-upstream.ts';
import { createSeeded } from '../../support/seeded.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

/** Set AGENT_KILLS=500 for a long run: `AGENT_KILLS=500 npx vitest run test/e2e/providers/agent-app-server-kills.test.ts`. */
const KILLS = Number(process.env['AGENT_KILLS'] ?? 15);
const SEED = Number(process.env['AGENT_SEED'] ?? 1);

// About the duration of a turn of the stand-in, so that kills happen at any moment of a turn.
const IMAGE_MS = 40;
const LATEST_KILL_MS = 120;

const SOURCE = `data:image/png;base64,${plainPng(16, 1).toString('base64')}`;

afterAll(cleanUp);

interface Reply {
  readonly status: number;
  readonly outcome: unknown;
  readonly isRetryable: boolean;
}

async function create(bridge: StartedBridge, prompt: string, isEdit: boolean): Promise<Reply> {
  const images = [{ type: 'data_url', data_url: SOURCE }];
  const body = isEdit ? { operation: 'edit', prompt, images } : { prompt };
  const { status, json } = await createImage(bridge, body);
  if (status === 200) return { status, outcome: undefined, isRetryable: false };
  const { details, retryable } = json.error.bridge_ext;
  return { status, outcome: details['outcome'], isRetryable: retryable };
}

/** Returns the logs of all children by process id. */
async function logsIn(folder: string): Promise<ReadonlyMap<number, string>> {
  const names = await readdir(folder);
  const entries = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    return [Number.parseInt(name, 10), text] as const;
  });
  return new Map(await Promise.all(entries));
}

async function killChild(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number.parseInt(name, 10);
    if (await isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('a bridge whose child is killed again and again', () => {
  it(
    `sends every request one reply, repeats none and leaves nothing behind (${KILLS} kills)`,
    async () => {
      const [home, log] = [await freshFolder(), await freshFolder()];
      const upstream = await createResponsesUpstream({ imageBytes: 40_000 });
      await upstream.writeLogin(home);
      const bridge = await startBridge({
        command: 'serve',
        set: [
          'default_provider=agent-app-server',
          'runtime.circuit_breaker.enabled=false',
          ...childSettings(home, ['--log', log, '--edge', '16', '--image-ms', String(IMAGE_MS)]),
        ],
      });
      const random = createSeeded(SEED);
      const replies: Reply[] = [];

      for (let round = 0; round < KILLS; round += 1) {
        const running = [0, 1, 2].map((one) => create(bridge, `round-${round}-${one}.`, one === 2));
        await delay(random.next(LATEST_KILL_MS));
        await killChild(log);
        replies.push(...(await Promise.all(running)));
        // A request that meets the end of the child before the bridge noticed it is a known failure.
        let next: Reply;
        let tries = 0;
        do {
          next = await create(bridge, `next-${round}-${tries}.`, false);
          tries += 1;
        } while (next.isRetryable && tries < 5);
        expect(next.status).toBe(200);
      }

      const diagnostics = await fetch(`${bridge.address}/v1/diagnostics`);
      const { providers } = (await diagnostics.json()) as Diagnostics;
      const kept = join(bridge.cwd, 'data', 'state', 'agent-app-server');
      for (const folder of ['inputs', 'threads']) {
        await expect
          .poll(() => filesBelow(join(kept, folder)).catch(() => []), { timeout: 10_000 })
          .toEqual([]);
      }
      await bridge.end();
      await upstream.close();

      const logs = await logsIn(log);
      const sent = [...logs.values()].join('').match(/(?:round|next)-\d+-\d+\./g) ?? [];
      expect(new Set(sent).size).toBe(sent.length);
      for (const pid of logs.keys()) expect(await isRunning(pid)).toBe(false);
      expect(replies).toHaveLength(KILLS * 3);
      for (const { status, outcome, isRetryable } of replies) {
        expect([status, outcome, isRetryable]).toBeOneOf([
          [200, undefined, false],
          [502, 'unknown', false],
          [502, undefined, true],
        ]);
      }
      expect(replies.some(({ outcome }) => outcome === 'unknown')).toBe(true);
      expect(providers[0]?.restarts).toBeGreaterThan(0);
    },
    60_000 + KILLS * 2000,
  );
});
