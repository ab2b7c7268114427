import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_SCALED } from '../../support/drivers.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { openEvents } from '../jobs/event-reader.ts';
import { createJobClient } from '../jobs/jobs-rig.ts';

const SET = ['server.tokens_file=tokens.toml'];
const SETTING = ['--set', ...SET];

afterAll(cleanUp);

/** Runs `image-bridge tokens …` and returns what it prints. */
async function tokens(cwd: string, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(['tokens', ...argv, ...SETTING], cwd);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

const HANGING = 'sandbox-hang';

/** Begins a session of the Model Context Protocol. Returns the headers that continue it. */
async function openMcpSession(address: string, token: string) {
  const reply = await fetch(`${address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    }),
  });
  await reply.text();
  return { 'mcp-session-id': reply.headers.get('mcp-session-id') ?? '' };
}

/** Resolves with the end of a job in the database, because nobody can read the jobs of a removed token. */
async function stored(cwd: string, id: string): Promise<object> {
  const [job] = await stateOf(cwd).query(
    `SELECT status, error FROM job JOIN job_content USING (seq) WHERE id = '${id}'`,
  );
  const error = job?.['error'] ?? null;
  return {
    status: job?.['status'],
    reason: error === null ? null : JSON.parse(String(error)).details.reason,
  };
}

const image = (n = 1) => ({ body: { prompt: 'a boat', parameters: { n, size: '64x64' } } });

describe('named tokens', () => {
  it('keep the history of their owner when they are rotated, and never show the history of another owner', async () => {
    const cwd = await freshFolder();
    const first = await tokens(cwd, 'add', 'alice');
    const bridge = await startBridge({ cwd, set: SET });
    const bob = await createJobClient(bridge, await tokens(cwd, 'add', 'bob'));
    const before = await createJobClient(bridge, first);
    const { json: job } = await before.post({ prompt: 'a boat' });
    const { result } = await before.ended(job.id);
    const artifact = `/v1/artifacts/${result.data[0].id}`;

    const after = await createJobClient(bridge, await tokens(cwd, 'rotate', 'alice'));

    expect((await after.get(`/v1/jobs/${job.id}`)).status).toBe(200);
    expect((await after.get(artifact)).status).toBe(200);
    expect((await bob.get(`/v1/jobs/${job.id}`)).status).toBe(404);
    expect((await bob.get(artifact)).status).toBe(404);
    expect((await before.get('/v1/models')).status).toBe(401);
    expect((await bob.get('/v1/usage')).json).toMatchObject({ caller: { name: 'bob' }, items: [] });
    await tokens(cwd, 'disable', 'bob');
    expect((await bob.get('/v1/models')).status).toBe(401);
  });

  it('may do exactly what their permissions allow, while the bearer may do everything', async () => {
    const cwd = await freshFolder();
    const env = { OWN: 'a-token-of-some-length' };
    const reader = await tokens(cwd, 'add', 'reader', '--permissions', 'read');
    const bridge = await startBridge({
      cwd,
      env,
      set: [...SET, 'server.bearer_token_env=OWN', 'server.metrics.enabled=true'],
    });
    const owner = await createJobClient(bridge, env.OWN);
    const limited = await createJobClient(bridge, reader);

    const refused = await limited.send('POST', '/v1/images', image());

    expect(refused.status).toBe(403);
    expect(refused.json.error).toMatchObject({
      code: 'permission_denied',
      bridge_ext: { retryable: false, details: { permission: 'images' } },
    });
    expect((await limited.get('/v1/jobs')).status).toBe(200);
    expect((await limited.get('/metrics')).status).toBe(403);
    expect((await limited.get('/v1/nowhere')).status).toBe(404);
    expect((await owner.send('POST', '/v1/images', image())).status).toBe(200);
    const metrics = await owner.get('/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.bytes.toString()).not.toContain('reader');
    expect((await fetch(`${bridge.address}/v1/models`)).status).toBe(401);
  });

  it('create no job with only the permission images, and ignore a preference for a job', async () => {
    const cwd = await freshFolder();
    const limited = await tokens(cwd, 'add', 'limited', '--permissions', 'images,read');
    const full = await tokens(cwd, 'add', 'full', '--permissions', 'images,jobs,read');
    const bridge = await startBridge({ cwd, set: SET });
    const post = async (token: string, path: string, prefer: string) => {
      const client = await createJobClient(bridge, token);
      const body = path === '/v1/images' ? image().body : { prompt: 'a boat', size: '64x64' };
      const reply = await client.send('POST', path, { body, headers: { prefer } });
      return { ...reply, jobs: (await client.get('/v1/jobs')).json.items.length };
    };

    for (const path of ['/v1/images', '/v1/images/generations']) {
      for (const prefer of ['respond-async', 'respond-async, wait=60']) {
        const made = await post(limited, path, prefer);
        expect([made.status, made.jobs, made.json.data.length]).toEqual([200, 0, 1]);
        expect(made.headers['preference-applied']).toBeUndefined();
      }
    }
    expect((await post(full, '/v1/images', 'respond-async')).status).toBe(202);
  });

  it('see only their own replies in the diagnostics, unless they are admin', async () => {
    const cwd = await freshFolder();
    const alice = await tokens(cwd, 'add', 'alice', '--permissions', 'read,diagnostics');
    const bob = await tokens(cwd, 'add', 'bob', '--permissions', 'read');
    const admin = await tokens(cwd, 'add', 'root', '--permissions', 'diagnostics,admin');
    const bridge = await startBridge({ cwd, set: SET });
    type Item = { route: string; status: number; sequence: number };
    const ask = async (token: string, path: string) => {
      const reply = await fetch(bridge.address + path, {
        headers: { authorization: `Bearer ${token}` },
      });
      return (await reply.json()) as { events: { items: Item[]; overwritten: number } };
    };
    await ask(bob, '/v1/providers');
    await ask('unknown', '/v1/models');
    await ask(bob, '/v1/diagnostics');
    await ask(alice, '/v1/nowhere');
    await ask(alice, '/v1/jobs');
    await ask(bob, '/v1/providers');

    const own = (await ask(alice, '/v1/diagnostics')).events;
    const all = (await ask(admin, '/v1/diagnostics')).events;

    const rows = (items: Item[]) =>
      items.map(({ sequence, route, status }) => `${sequence} ${route} ${status}`);
    expect(rows(own.items)).toEqual(['2 /v1/jobs 200', '1 unmatched 404']);
    expect(own.overwritten).toBe(0);
    expect(rows(all.items)).toEqual([
      '7 /v1/diagnostics 200',
      '6 /v1/providers 200',
      '5 /v1/jobs 200',
      '4 unmatched 404',
      '3 /v1/diagnostics 403',
      '2 /v1/models 401',
      '1 /v1/providers 200',
    ]);
  });

  it('never exceed their allowance, even with concurrent requests, and keep their usage after a crash', async () => {
    const cwd = await freshFolder();
    const token = await tokens(cwd, 'add', 'alice', '--images-per-day', '20');
    const bridge = await startBridge({ cwd, set: SET });
    const alice = await createJobClient(bridge, token);

    const replies = await Promise.all(
      Array.from({ length: 100 }, () => alice.send('POST', '/v1/images', image())),
    );
    const made = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status }) => status === 429);

    expect(made).toBe(20);
    expect(refused).toHaveLength(80);
    expect(refused[0]?.json.error.bridge_ext).toMatchObject({
      code: 'rate_limited',
      details: { reason: 'allowance', images_per_day: 20, remaining: 0 },
    });
    const waitSecs = Number(refused[0]?.headers['retry-after']);
    expect(waitSecs).toBeGreaterThan(0);
    expect(waitSecs).toBeLessThanOrEqual(86_400);

    await bridge.end('SIGKILL');
    const again = await startBridge({ cwd, set: SET });
    const client = await createJobClient(again, token);
    const usage = async () => (await client.get('/v1/usage?days=2')).json;
    // The counts of the last replies may wait for the next commit. After a crash these images are unknown, with PostgreSQL as
    // soon as the lease of the crashed process has ended.
    await expect
      .poll(async () => {
        const [{ images, unknown = 0 }] = (await usage()).items;
        return images + unknown;
      })
      .toBe(20);
    expect(await usage()).toMatchObject({
      caller: { name: 'alice', allowance: { images_per_day: 20, used: 20 } },
      items: [{ failed: 0 }],
    });
    expect((await client.post({ prompt: 'a boat' })).status).toBe(429);
  });

  it('get the charge back for a failure with a known outcome', async () => {
    const cwd = await freshFolder();
    const token = await tokens(cwd, 'add', 'alice', '--images-per-day', '3');
    const alice = await createJobClient(await startBridge({ cwd, set: SET }), token);
    const failing = { ...image(3).body, routing: { model: 'sandbox-fail-upstream' } };

    const failed = await alice.send('POST', '/v1/images', { body: failing });
    const { json: usage } = await alice.get('/v1/usage');

    expect(failed.status).toBe(502);
    expect(usage.caller.allowance.used).toBe(0);
    expect(usage.items).toMatchObject([{ images: 0, failed: 3 }]);
    expect((await alice.send('POST', '/v1/images', image(3))).status).toBe(200);
  });

  it.each(['disable', 'remove', 'rotate'])('end their event streams soon after %s', async (how) => {
    const cwd = await freshFolder();
    const [alice, bob] = [await tokens(cwd, 'add', 'alice'), await tokens(cwd, 'add', 'bob')];
    const bridge = await startBridge({ cwd, set: [...SET, 'server.mcp.enabled=true'] });
    const client = await createJobClient(bridge, alice);
    const { json: job } = await client.post({ prompt: 'a boat', routing: { model: HANGING } });
    const open = (path: string, token: string, headers = {}) =>
      openEvents(`${bridge.address}${path}`, { authorization: `Bearer ${token}`, ...headers });
    const feed = await open('/v1/jobs/events', alice);
    const one = await open(`/v1/jobs/${job.id}/events`, alice);
    // Replicas do not keep the sessions of agents.
    const sessions = IS_SCALED ? [] : [await openMcpSession(bridge.address, alice)];
    const agents = await Promise.all(
      sessions.map((session) => open('/mcp', alice, { accept: 'text/event-stream', ...session })),
    );
    const other = await open('/v1/jobs/events', bob);

    await tokens(cwd, how, 'alice');
    await Promise.all([feed, one, ...agents].map((stream) => stream.untilEnded()));

    // The removal also cancels the job, whose end a replica may report first.
    const isEnded = IS_SCALED && one.events().at(-1)?.name === 'ended';
    if (isEnded) expect(how).toBe('remove');
    for (const stream of isEnded ? [feed] : [feed, one]) {
      expect(stream.events().at(-1)).toMatchObject({
        name: 'error',
        data: {
          type: 'error',
          error: { code: 'authentication_required', bridge_ext: { retryable: false } },
        },
      });
      expect(stream.end()).toBe('complete');
    }
    for (const agent of agents) expect([agent.status, agent.end()]).toEqual([200, 'complete']);
    expect(other.end()).toBe('open');
    other.disconnect();
  });

  it('end their queued and running jobs when they are removed, and not when they are only missing', async () => {
    const cwd = await freshFolder();
    const [alice, bob] = [await tokens(cwd, 'add', 'alice'), await tokens(cwd, 'add', 'bob')];
    const admin = await tokens(cwd, 'add', 'root', '--permissions', 'read,admin');
    const all = await readFile(join(cwd, 'tokens.toml'));
    const bridge = await startBridge({ cwd, set: [...SET, 'server.jobs.max_running=1'] });
    const [hers, his, roots] = [
      await createJobClient(bridge, alice),
      await createJobClient(bridge, bob),
      await createJobClient(bridge, admin),
    ];
    const hanging = { prompt: 'a boat', routing: { model: HANGING } };
    const running = (await hers.post(hanging)).json.id;
    await hers.running(running);
    const queued = (await hers.post({ prompt: 'a boat' })).json.id;
    const prefer = { headers: { prefer: 'respond-async' } };
    const asynchronous = (await hers.send('POST', '/v1/images', { ...image(), ...prefer })).json.id;
    const waiting = hers.send('POST', '/v1/images', { body: hanging });
    const another = (await his.post({ prompt: 'a boat' })).json.id;

    // An editor has cut the file short. It is still valid, but without a token.
    await writeFile(join(cwd, 'tokens.toml'), '');
    expect((await roots.get('/v1/queue')).status).toBe(401);
    await writeFile(join(cwd, 'tokens.toml'), all);
    expect((await roots.get('/v1/queue')).json).toMatchObject({ queued: 3, running: 1 });
    await tokens(cwd, 'remove', 'alice');

    const refused = await waiting;
    expect(refused.status).toBe(499);
    expect(refused.json.error).toMatchObject({
      bridge_ext: { code: 'cancelled', details: { reason: 'token_removed' } },
    });
    expect((await his.ended(another)).status).toBe('succeeded');
    await bridge.end('SIGTERM');
    for (const id of [running, queued, asynchronous]) {
      expect(await stored(cwd, id)).toEqual({ status: 'cancelled', reason: 'token_removed' });
    }
  });

  it('have no job left to claim at the start if they were removed while the bridge was stopped', async () => {
    const cwd = await freshFolder();
    const [alice, bob] = [await tokens(cwd, 'add', 'alice'), await tokens(cwd, 'add', 'bob')];
    const admin = await tokens(cwd, 'add', 'root', '--permissions', 'read,admin');
    const first = await startBridge({ cwd, set: SET });
    const roots = await createJobClient(first, admin);
    await roots.send('PATCH', '/v1/queue', { body: { paused: true } });
    const hers = (await (await createJobClient(first, alice)).post({ prompt: 'a boat' })).json.id;
    const his = (await (await createJobClient(first, bob)).post({ prompt: 'a boat' })).json.id;
    await first.end('SIGKILL');

    await tokens(cwd, 'remove', 'alice');
    const second = await startBridge({ cwd, set: SET });
    const again = await createJobClient(second, admin);
    await again.send('PATCH', '/v1/queue', { body: { paused: false } });
    await (await createJobClient(second, bob)).ended(his);
    await second.end('SIGTERM');

    expect(await stored(cwd, hers)).toEqual({ status: 'cancelled', reason: 'token_removed' });
    expect(await stored(cwd, his)).toEqual({ status: 'succeeded', reason: null });
  });

  it('keep their usage when they are rotated, and lose it when the name is added again', async () => {
    const cwd = await freshFolder();
    const first = await tokens(cwd, 'add', 'alice', '--images-per-day', '3');
    const bridge = await startBridge({ cwd, set: SET });
    const usageOf = async (token: string) =>
      (await (await createJobClient(bridge, token)).get('/v1/usage')).json;
    await (await createJobClient(bridge, first)).send('POST', '/v1/images', image(2));

    const rotated = await usageOf(await tokens(cwd, 'rotate', 'alice'));
    await tokens(cwd, 'remove', 'alice');
    const anew = await usageOf(await tokens(cwd, 'add', 'alice', '--images-per-day', '3'));

    expect(rotated).toMatchObject({ caller: { allowance: { used: 2 } }, items: [{ images: 2 }] });
    expect(anew).toMatchObject({ caller: { name: 'alice', allowance: { used: 0 } }, items: [] });
  });

  it('keep the usage from before they had an identity', async () => {
    const cwd = await freshFolder();
    const token = await tokens(cwd, 'add', 'alice', '--images-per-day', '3');
    const path = join(cwd, 'tokens.toml');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/^id = .*\n/m, ''));
    const bridge = await startBridge({ cwd, set: SET });
    await (await createJobClient(bridge, token)).send('POST', '/v1/images', image(2));

    const rotated = await createJobClient(bridge, await tokens(cwd, 'rotate', 'alice'));

    expect(text).not.toContain('id = "alice"');
    expect(await readFile(path, 'utf8')).toContain('id = "alice"');
    expect((await rotated.get('/v1/usage')).json.caller.allowance.used).toBe(2);
  });

  it('learn nothing about images of others from a filename, and still read older images', async () => {
    const cwd = await freshFolder();
    const env = { OWN: 'a-token-of-some-length' };
    const named = {
      body: { ...image().body, output: { response_format: 'artifact', filename: 'boat.png' } },
    };
    const before = await startBridge({ cwd, env, set: ['server.bearer_token_env=OWN'] });
    const owned = await (await createJobClient(before, env.OWN)).send('POST', '/v1/images', named);
    await before.end('SIGTERM');
    const [alice, bob] = [await tokens(cwd, 'add', 'alice'), await tokens(cwd, 'add', 'bob')];
    const bridge = await startBridge({ cwd, env, set: [...SET, 'server.bearer_token_env=OWN'] });
    const [owner, hers, his] = [
      await createJobClient(bridge, env.OWN),
      await createJobClient(bridge, alice),
      await createJobClient(bridge, bob),
    ];

    const first = await hers.send('POST', '/v1/images', named);
    const second = await his.send('POST', '/v1/images', named);
    const again = await his.send('POST', '/v1/images', named);

    expect([owned.status, first.status, second.status, again.status]).toEqual([200, 200, 200, 409]);
    expect(again.json.error.bridge_ext.code).toBe('conflict');
    const [ofOwner, ofHers, ofHis] = [owned, first, second].map(({ json }) => json.data[0]);
    expect(ofOwner.name).toBe('boat.png');
    expect(ofHers.name).toMatch(/^owner-[0-9a-f]{16}\/boat\.png$/);
    expect(ofHis.name).not.toBe(ofHers.name);
    expect((await owner.get(`/v1/artifacts/${ofOwner.id}`)).status).toBe(200);
    expect((await hers.get(`/v1/artifacts/${ofHers.id}`)).status).toBe(200);
    expect((await his.get(`/v1/artifacts/${ofHers.id}`)).status).toBe(404);
    expect((await owner.send('POST', '/v1/images', named)).status).toBe(409);
  });

  it('prevent the start of the bridge if others can read their file', async () => {
    const cwd = await freshFolder();
    await tokens(cwd, 'add', 'alice');
    await chmod(join(cwd, 'tokens.toml'), 0o644);

    const { code, stderr } = await runProgram(['serve', ...SETTING], cwd);

    expect(code).toBe(1);
    expect(stderr).toContain('server.tokens_file: must be accessible only by its owner');
  });
});

describe('the usage command', () => {
  it('shows the images of the token by day, and the rest of the allowance today', async () => {
    const cwd = await freshFolder();
    const token = await tokens(cwd, 'add', 'alice', '--images-per-day', '9');
    const bridge = await startBridge({ cwd, set: SET });
    await (await createJobClient(bridge, token)).send('POST', '/v1/images', image(2));

    const { code, stdout } = await runProgram(['usage', '--url', bridge.address], cwd, {
      IMAGE_BRIDGE_TOKEN: token,
    });

    expect(code).toBe(0);
    expect(stdout).toContain('token: alice\ntoday: 2 of 9\n');
    expect(stdout).toMatch(/\d{4}-\d\d-\d\d +2 +0 +\d+ +free +sandbox 2\n/);
    expect(stdout).toMatch(/\nsandbox-image +sandbox +2 +free\n/);
  });
});
