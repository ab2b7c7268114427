import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import sharp from 'sharp';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { IS_SCALED } from '../../support/drivers.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { createJobClient, type JobClient, storedInputs } from './jobs-rig.ts';

const ROCKET = readFileSync(
  fileURLToPath(new URL('../../data/photos/rocket.jpg', import.meta.url)),
);
const SHA256 = createHash('sha256').update(ROCKET).digest('hex');
const EDIT = {
  operation: 'edit',
  prompt: 'in winter',
  images: [{ type: 'base64', data: ROCKET.toString('base64') }],
};
const TOKENS = ['a-token-of-one-owner', 'a-token-of-another'] as const;
const WAIT = { timeout: 15_000 };
const SANDBOX = ['providers.sandbox.enabled=true', 'default_provider=sandbox'];

afterAll(cleanUp);

function open(cwd: string, more: { set?: readonly string[]; token?: string } = {}) {
  const { set = [], token = TOKENS[0] } = more;
  return startBridge({
    cwd,
    command: 'serve',
    set: [...SANDBOX, 'server.bearer_token_env=BRIDGE_TOKEN', ...set],
    env: { BRIDGE_TOKEN: token },
  });
}

async function edited(jobs: JobClient): Promise<string> {
  const { json } = await jobs.post(EDIT);
  expect(await jobs.ended(json.id)).toMatchObject({ status: 'succeeded' });
  return `/v1/jobs/${json.id}/inputs/0`;
}

function change(cwd: string, sql: string): void {
  const database = new Sqlite(join(cwd, 'data/state/bridge.sqlite'));
  database.pragma('foreign_keys = ON');
  database.exec(sql);
  database.close();
}

describe('the input image of a job', () => {
  it('is delivered only to its owner, also by HEAD and as a thumbnail, and after a restart', async () => {
    const cwd = await freshFolder();
    const first = await open(cwd);
    const path = await edited(await createJobClient(first, TOKENS[0]));
    await first.end('SIGKILL');

    const second = await open(cwd);
    const jobs = await createJobClient(second, TOKENS[0]);
    const [whole, head] = [await jobs.get(path), await jobs.send('HEAD', path)];
    const thumbnail = await jobs.get(`${path}/thumbnail?edge=160`);
    const beyond = await jobs.get(path.replace(/0$/, '1'));
    await second.end();
    const third = await open(cwd, { token: TOKENS[1] });
    const foreign = await createJobClient(third, TOKENS[1]);
    const statuses = [
      (await foreign.get(path)).status,
      (await foreign.get(`${path}/thumbnail`)).status,
    ];
    await third.end();

    expect(whole.bytes.equals(ROCKET)).toBe(true);
    expect(whole.headers).toMatchObject({ 'content-type': 'image/jpeg', etag: `"${SHA256}"` });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(ROCKET.length));
    expect(await sharp(thumbnail.bytes).metadata()).toMatchObject({ width: 160, format: 'png' });
    expect(beyond.status).toBe(404);
    expect(statuses).toEqual([404, 404]);
  });

  it.skipIf(IS_SCALED)(
    'is removed with its job, even if the bridge was killed before or during the removal',
    async () => {
      const cwd = await freshFolder();
      const first = await open(cwd);
      const path = await edited(await createJobClient(first, TOKENS[0]));
      await first.end('SIGKILL');
      const kept = await storedInputs({ cwd });

      const second = await open(cwd, { set: ['server.jobs.max_retained_bytes=1'] });
      const jobs = await createJobClient(second, TOKENS[0]);
      await vi.waitFor(async () => expect(await storedInputs({ cwd })).toEqual([]), WAIT);
      const removed = await jobs.get(path);
      await edited(jobs);
      await second.end('SIGKILL');
      // The state after a kill between the row and its file, and after a kill between a file and its row.
      change(
        cwd,
        'DELETE FROM job; DELETE FROM job_scope; DELETE FROM job_change; UPDATE job_total SET succeeded = 0, bytes = 0, ordinary_jobs = 0, ordinary_bytes = 0',
      );
      await mkdir(join(cwd, 'data/state/inputs/ab'), { recursive: true });
      await writeFile(join(cwd, 'data/state/inputs/ab', 'ab'.repeat(32)), 'never accepted');
      const third = await open(cwd);
      await vi.waitFor(async () => expect(await storedInputs({ cwd })).toEqual([]), WAIT);
      await third.end();

      expect(kept).toEqual([SHA256]);
      expect(removed.status).toBe(404);
      expect(await runProgram(['state', 'check'], cwd)).toMatchObject({ code: 0 });
    },
  );

  it('is verified from the command line, and is not delivered if it was damaged', async () => {
    const cwd = await freshFolder();
    const bridge = await open(cwd);
    const jobs = await createJobClient(bridge, TOKENS[0]);
    const path = await edited(jobs);
    const files = (await stateOf(cwd).listInputs()).map(({ path }) => path);
    const verify = () => runProgram(['artifacts', 'verify', '--json'], cwd);

    const valid = await verify();
    for (const file of files) await writeFile(file, Buffer.alloc(ROCKET.length));
    const damaged = await verify();
    const reply = await jobs.get(path);
    for (const file of files) await rm(file);
    const missing = await verify();
    await bridge.end();

    expect(JSON.parse(valid.stdout)).toMatchObject({ ok: true, inputs: 1, problems: [] });
    expect(JSON.parse(damaged.stdout).problems).toMatchObject([
      { input: SHA256, problem: 'undecodable' },
    ]);
    expect([reply.status, reply.json.error.code]).toEqual([500, 'artifact_error']);
    expect(missing.code).toBe(1);
    expect(JSON.parse(missing.stdout).problems).toEqual([{ input: SHA256, problem: 'missing' }]);
  });
});
