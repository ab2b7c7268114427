import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, describe, expect, it, vi } from 'vitest';
import {
  canBind,
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
} from '../../support/start-bridge.ts';

afterAll(cleanUp);

function post(address: string, filename: string): Promise<Response> {
  return fetch(`${address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      prompt: 'kept for a while',
      parameters: { size: '64x64' },
      output: { response_format: 'artifact', filename },
    }),
  });
}

async function create(address: string, filename: string): Promise<string> {
  const reply = await post(address, filename);
  const { data } = (await reply.json()) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}

describe('stored artifacts', () => {
  it('are verified from the command line while the bridge serves them', async () => {
    const bridge = await startBridge();
    const id = await create(bridge.address, 'victim');

    const verified = await runProgram(['artifacts', 'verify'], bridge.cwd);
    await rm(join(bridge.cwd, 'data/artifacts/victim.png'));
    const broken = await runProgram(['artifacts', 'verify', '--json'], bridge.cwd);

    expect(verified).toMatchObject({ code: 0, stderr: '' });
    expect(broken).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(broken.stdout)).toMatchObject({
      ok: false,
      problems: [{ id, name: 'victim.png', problem: 'missing' }],
    });
    await bridge.end();
  });

  it('are removed when they expire, without any other file', async () => {
    const cwd = await freshFolder();
    const first = await startBridge({ cwd });
    const id = await create(first.address, 'old');
    expect((await fetch(`${first.address}/v1/artifacts/${id}/thumbnail`)).status).toBe(200);
    await first.end();
    await writeFile(join(cwd, 'data/artifacts/foreign.png'), 'not ours');
    const published = Date.now();
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(published + 2000), 5000);

    const second = await startBridge({ cwd, set: ['artifacts.retention.max_age_secs=1'] });
    await vi.waitFor(
      async () => {
        const reply = await fetch(`${second.address}/v1/artifacts/${id}`);
        expect(reply.status).toBe(404);
        expect(await readdir(join(cwd, 'data/artifacts'))).not.toContain('old.png');
      },
      { timeout: 15_000 },
    );
    const diagnostics = await fetch(`${second.address}/v1/diagnostics`);

    const { storage } = (await diagnostics.json()) as { storage: object };
    expect(storage).toMatchObject({ artifacts_count: 0, artifacts_bytes: 0 });
    expect(await readdir(join(cwd, 'data/artifacts'))).toContain('foreign.png');
    await second.end();
  });

  it('are kept while their folder is not mounted, and the service starts without being ready', async () => {
    const cwd = await freshFolder();
    const root = join(cwd, 'data/artifacts');
    const first = await startBridge({ cwd });
    const [id, pending] = [await create(first.address, 'kept'), await create(first.address, 'cut')];
    await first.end();
    const database = new Sqlite(join(cwd, 'data/state/bridge.sqlite'));
    database.prepare('UPDATE artifact SET created_secs = 1').run();
    // The state after a crash: a publication that was never committed.
    database.prepare("UPDATE artifact SET state = 'pending' WHERE id = ?").run(pending);
    database.close();
    await rename(root, `${root} elsewhere`);
    await mkdir(root);

    const second = await startBridge({ cwd, set: ['artifacts.retention.max_age_secs=1'] });
    await vi.waitFor(
      async () => expect((await fetch(`${second.address}/health/ready`)).status).toBe(503),
      { timeout: 10_000 },
    );
    await second.end();
    await rm(root, { recursive: true });
    await rename(`${root} elsewhere`, root);
    const third = await startBridge({ cwd, set: ['artifacts.retention.max_age_secs=0'] });

    expect((await fetch(`${third.address}/health/ready`)).status).toBe(200);
    expect((await fetch(`${third.address}/v1/artifacts/${id}`)).status).toBe(200);
    expect((await readdir(root)).sort()).toEqual(['.staging', 'kept.png']);
    await third.end();
  });

  it.runIf(canBind)(
    'are not paid for while their folder is not writable, and jobs wait until it is',
    async () => {
      const bridge = await startBridge({ bound: true, set: ['server.metrics.enabled=true'] });
      const { address } = bridge;
      const staging = join(bridge.cwd, 'data/artifacts/.staging');
      const isReady = async () => (await fetch(`${address}/health/ready`)).ok;
      const calls = async () =>
        /provider_duration_seconds_count (\d+)/.exec(
          await (await fetch(`${address}/metrics`)).text(),
        )?.[1];
      await create(address, 'first');
      await chmod(staging, 0o555);
      await expect.poll(isReady, { timeout: 20_000 }).toBe(false);

      const refused = await post(address, 'second');
      const accepted = await fetch(`${address}/v1/jobs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'later', parameters: { size: '64x64' } }),
      });
      const { id } = (await accepted.json()) as { id: string };
      const calledBefore = await calls();
      await chmod(staging, 0o755);
      await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
      const job = await fetch(`${address}/v1/jobs/${id}?wait_ms=20000`);

      expect(refused.status).toBe(500);
      expect(await refused.json()).toMatchObject({
        error: { bridge_ext: { details: { reason: 'artifact_folder_unusable' } } },
      });
      expect(accepted.status).toBe(202);
      expect(calledBefore).toBe('1');
      expect(await job.json()).toMatchObject({ status: 'succeeded' });
      await bridge.end();
    },
    60_000,
  );

  it('are not published into the empty mount point of an unmounted folder', async () => {
    const bridge = await startBridge();
    const root = join(bridge.cwd, 'data/artifacts');
    const id = await create(bridge.address, 'kept');
    await rename(root, `${root} elsewhere`);
    await mkdir(root);

    const refused = await post(bridge.address, 'lost');
    const error: unknown = await refused.json();
    const ready = await fetch(`${bridge.address}/health/ready`);
    const doctor = await runProgram(['doctor', '--json'], bridge.cwd);
    const written = await readdir(root);
    await rm(root, { recursive: true });
    await rename(`${root} elsewhere`, root);
    const accepted = await post(bridge.address, 'next');

    expect(refused.status).toBe(500);
    expect(error).toMatchObject({
      error: {
        code: 'artifact_error',
        bridge_ext: { details: { reason: 'artifact_folder_unusable' } },
      },
    });
    expect(ready.status).toBe(503);
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ check: 'artifacts', level: 'bad' }),
      ]),
    });
    expect(written).toEqual([]);
    expect(accepted.status).toBe(200);
    expect((await fetch(`${bridge.address}/health/ready`)).status).toBe(200);
    expect((await fetch(`${bridge.address}/v1/artifacts/${id}`)).status).toBe(200);
    await bridge.end();
  });
});
