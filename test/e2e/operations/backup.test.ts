import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { runTool } from '../../support/outside-tools.ts';
import { cleanUp, freshFolder, runProgram, startBridge } from '../../support/start-bridge.ts';

afterAll(cleanUp);

const CLIENTS = 4;

/** Returns an edit of an image that no other request contains. */
async function edit(shade: number): Promise<object> {
  const [r, g] = [shade % 256, Math.floor(shade / 256)];
  const create = { width: 32, height: 32, channels: 3, background: { r, g, b: 0 } } as const;
  const data = (await sharp({ create }).png().toBuffer()).toString('base64');
  return { operation: 'edit', prompt: 'in winter', images: [{ type: 'base64', data }] };
}

/** Clients that send one request after the other: images that are stored at once, and jobs with an input image of their own. */
function startLoad(address: string) {
  const statuses: number[] = [];
  const jobs: ImageJob[] = [];
  let isOver = false;
  async function post(path: string, body: object): Promise<void> {
    const reply = await fetch(address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, parameters: { size: '64x64' } }),
    });
    statuses.push(reply.status);
    const json = await reply.json();
    if (reply.status === 202) jobs.push(json as ImageJob);
  }
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let nth = 0; !isOver; nth += 1) {
      if (client % 2 === 0) await post('/v1/jobs', await edit(nth * CLIENTS + client));
      else await post('/v1/images', { prompt: 'a kite', output: { response_format: 'artifact' } });
    }
  });
  return {
    jobs,
    statuses,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

describe('a backup under load', () => {
  it('restores to a complete service', { timeout: 120_000 }, async () => {
    const bridge = await startBridge();
    const load = startLoad(bridge.address);
    await expect.poll(() => load.statuses.length, { timeout: 60_000 }).toBeGreaterThan(40);
    const before = load.jobs.map(({ id }) => id);
    const [from, copy] = [join(bridge.cwd, 'data'), join(bridge.cwd, 'copy.sqlite')];
    const restored = await freshFolder();
    const to = join(restored, 'data');
    await mkdir(join(to, 'state'), { recursive: true, mode: 0o700 });

    const backup = await runProgram(['state', 'backup', copy], bridge.cwd);
    // Staged files disappear meanwhile, which cp reports as errors.
    await runTool('cp', ['-a', join(from, 'artifacts'), to]);
    await runTool('cp', ['-a', join(from, 'state', 'inputs'), join(to, 'state')]);
    await load.stop();
    await bridge.end();
    const restore = await runProgram(['state', 'restore', copy], restored);
    const verified = await runProgram(['artifacts', 'verify', '--json'], restored);
    const second = await startBridge({ cwd: restored });
    const check = await runProgram(['state', 'check'], restored);
    const found = await Promise.all(
      before.map(async (id) => (await fetch(`${second.address}/v1/jobs/${id}`)).status),
    );

    expect([backup.code, restore.code, restore.stderr]).toEqual([0, 0, '']);
    expect(new Set(load.statuses)).toEqual(new Set([200, 202]));
    const { ok, artifacts, inputs } = JSON.parse(verified.stdout);
    expect([ok, artifacts > 0, inputs > 0]).toEqual([true, true, true]);
    expect(check).toMatchObject({ code: 0, stdout: 'The database is valid.\n' });
    expect((await fetch(`${second.address}/health/ready`)).status).toBe(200);
    expect(new Set(found)).toEqual(new Set([200]));
    const queue = await fetch(`${second.address}/v1/queue`);
    expect(await queue.json()).toMatchObject({ paused: true, running: 0 });
  });
});
