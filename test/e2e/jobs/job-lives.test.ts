import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { IS_SCALED } from '../../support/drivers.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import {
  cleanUp,
  freshFolder,
  runProgram,
  type StartedBridge,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';
import { agentSettings } from '../providers/agent-responses-rig.ts';
import { createJobClient, type JobClient } from './jobs-rig.ts';

const TOKEN = 'server.bearer_token_env=BRIDGE_TOKEN';
const OLD = 'the-old-token-of-sixteen';
const NEW = 'the-new-token-of-sixteen';
const UNKNOWN_ID = '0190a0b0-0000-7000-8000-000000000000';
const INTERRUPTED = {
  status: 'interrupted',
  error: {
    code: 'cancelled',
    retryable: false,
    details: { outcome: 'unknown', reason: 'interrupted' },
  },
};
const hang = { prompt: 'a tower', routing: { model: 'sandbox-hang' } };

const upstreams: ResponsesUpstream[] = [];

afterEach(async () => {
  await cleanUp();
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()));
});

type Options = NonNullable<Parameters<typeof startBridge>[0]>;

async function start(options: Options = {}) {
  const bridge = await startBridge(options);
  const jobs = await createJobClient(bridge, options.env?.['BRIDGE_TOKEN']);
  return { bridge, jobs };
}

const again = ({ cwd }: StartedBridge, options: Options = {}) => start({ cwd, ...options });

async function accepted(jobs: JobClient, body: object, headers?: Record<string, string>) {
  const { status, json } = await jobs.post(body, headers);
  expect(status).toBe(202);
  return json.id as string;
}

/** Resolves when images of a running job have their names below the artifact root. */
async function untilPublished({ cwd }: StartedBridge, count: number): Promise<void> {
  const isEnough = async () => {
    const names = await stateOf(cwd).listArtifacts();
    return names.filter((name) => name.endsWith('.png')).length >= count;
  };
  while (!(await isEnough())) await delay(1);
}

/** Starts a program whose provider is the emulator. Returns a function that restarts it. */
async function startWithUpstream(set: readonly string[] = []) {
  const home = await freshFolder();
  const upstream = await createResponsesUpstream({ imageBytes: 30_000, imageVariants: 4 });
  upstreams.push(upstream);
  await upstream.writeLogin(home);
  const options: Options = { command: 'serve', set: [...agentSettings(upstream, home), ...set] };
  const first = await start(options);
  return {
    ...first,
    restart: () => again(first.bridge, options),
    upstream,
    callsFor: (prompt: string) =>
      upstream.calls.filter(({ body }) => body?.includes(prompt)).length,
  };
}

describe('the limit of jobs', () => {
  it('rejects the next job with Retry-After, and accepts a job as soon as there is room', async () => {
    const set = ['server.jobs.max_pending=2', 'server.jobs.max_running=1'];
    const { jobs } = await start({ set });
    const running = await accepted(jobs, hang);
    await jobs.running(running);
    const [waiting] = [await accepted(jobs, hang), await accepted(jobs, hang)];

    const refused = await jobs.post(hang);
    await jobs.cancel(waiting ?? '');
    const taken = await jobs.post(hang);

    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'x-should-retry': 'true' });
    expect(refused.json.error).toMatchObject({ code: 'overloaded' });
    expect(refused.json.error.bridge_ext.details.limit).toBe('server.jobs.max_pending');
    expect(taken.status).toBe(202);
  });

  it('applies to the storage of all jobs, including their results', async () => {
    const { jobs } = await start({ set: ['server.jobs.max_database_bytes=1048576'] });
    const ids: string[] = [];
    let refused = await jobs.post(hang);
    for (; refused.status === 202; refused = await jobs.post(hang)) ids.push(refused.json.id);

    await jobs.cancel(ids.at(-1) ?? '');
    const taken = await jobs.post(hang);

    // Each job reserves some 24,000 bytes. Its end releases most of them.
    expect(ids.length).toBeGreaterThan(30);
    expect(ids.length).toBeLessThan(50);
    expect(refused.status).toBe(503);
    const { limit } = refused.json.error.bridge_ext.details;
    expect(limit).toBe('server.jobs.max_database_bytes');
    expect(taken.status).toBe(202);
  });
});

describe('a job at a full gate', () => {
  it.each(['runtime.global', 'runtime.provider_default'])(
    'of %s waits, while a synchronous request is rejected',
    async (gate) => {
      const set = [`${gate}.max_concurrent=1`, `${gate}.max_queued=0`];
      const { jobs } = await start({ set });
      const inside = await accepted(jobs, hang);
      await jobs.until(inside, ({ progress }) => progress?.stage === 'dispatched');

      const waiting = await accepted(jobs, { prompt: 'a waiting tower' });
      await jobs.running(waiting);
      const refused = await jobs.send('POST', '/v1/images', { body: { prompt: 'a hasty tower' } });
      await jobs.cancel(inside);

      expect(refused.status).toBe(503);
      expect(await jobs.ended(waiting)).toMatchObject({ status: 'succeeded' });
    },
  );
});

describe('another scope', () => {
  it('cannot see the jobs of an older token on any route, and these jobs still finish', async () => {
    const options = (BRIDGE_TOKEN: string, ...set: string[]): Options => ({
      set: [TOKEN, 'server.jobs.max_running=1', 'runtime.shutdown_grace_ms=1', ...set],
      env: { BRIDGE_TOKEN },
    });
    const old = await start(options(OLD));
    const running = await accepted(old.jobs, hang);
    await old.jobs.running(running);
    const queued = await accepted(old.jobs, { prompt: 'a queued tower' });
    await old.bridge.end();

    const { bridge, jobs } = await again(old.bridge, options(NEW));
    const marker = await accepted(jobs, { prompt: 'a new tower' });
    await jobs.ended(marker);
    const replies = await Promise.all(
      [running, queued, UNKNOWN_ID, 'no-id', '%27%20OR%201'].flatMap((id) => [
        jobs.get(`/v1/jobs/${id}`),
        jobs.get(`/v1/jobs/${id}?wait_ms=30000`),
        jobs.cancel(id),
        jobs.patch(id, { favorite: true }),
        jobs.patch(id, { deleted: true }),
        jobs.get(`/v1/jobs/${id}/partial`),
      ]),
    );
    const list = await jobs.get('/v1/jobs?visibility=all');
    const found = await jobs.get('/v1/jobs?visibility=all&search=tower');
    await bridge.end();
    const back = await again(bridge, options(OLD));

    const bodies = replies.map(({ status, json: { request_id: _, ...json } }) => ({
      status,
      json,
    }));
    expect(bodies[0]?.status).toBe(404);
    expect(bodies).toEqual(bodies.map(() => bodies[0]));
    for (const page of [list, found]) {
      expect(page.json.items.map(({ id }: { id: string }) => id)).toEqual([marker]);
    }
    expect((await back.jobs.get(`/v1/jobs/${running}`)).json).toMatchObject(INTERRUPTED);
    const finished = (await back.jobs.get(`/v1/jobs/${queued}`)).json;
    expect(finished).toMatchObject({ status: 'succeeded', favorite: false });
  });

  it('has its own idempotency keys', async () => {
    const options = (BRIDGE_TOKEN: string): Options => ({ set: [TOKEN], env: { BRIDGE_TOKEN } });
    const old = await start(options(OLD));
    const first = await accepted(old.jobs, { prompt: 'mine' }, { 'idempotency-key': 'k' });
    await old.bridge.end();
    const { jobs } = await again(old.bridge, options(NEW));

    const other = await jobs.post({ prompt: 'yours' }, { 'idempotency-key': 'k' });

    expect(other.status).toBe(202);
    expect(other.json.id).not.toBe(first);
  });
});

describe('a restart', () => {
  it('runs queued jobs, and interrupts running ones without a second call', async () => {
    const set = ['server.jobs.max_running=1'];
    const { bridge, jobs, upstream, callsFor, restart } = await startWithUpstream(set);
    upstream.script('silence=generating');
    const key = { 'idempotency-key': 'ran' };
    const ran = await accepted(jobs, { prompt: 'ran-before' }, key);
    await upstream.until(() => upstream.calls.length === 1);
    const waited = await accepted(jobs, { prompt: 'waited-before' });
    await bridge.end('SIGKILL');

    const { jobs: after } = await restart();
    const finished = await after.ended(waited);
    await after.ended(ran);
    const repeat = await after.post({ prompt: 'ran-before' }, key);

    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.json).toMatchObject({ id: ran, ...INTERRUPTED });
    expect(finished.status).toBe('succeeded');
    expect([callsFor('ran-before'), callsFor('waited-before')]).toEqual([1, 1]);
  });

  it('keeps the undo of cancelled jobs, which then name the jobs that take their places', async () => {
    const { bridge, jobs } = await start();
    await jobs.send('PATCH', '/v1/queue', { body: { paused: true } });
    const ids = [await accepted(jobs, hang), await accepted(jobs, hang)];
    const body = { action: 'cancel', filter: { status: 'queued' }, expected_count: 2 };
    const cancelled = await jobs.send('POST', '/v1/jobs/batch', { body });
    await bridge.end('SIGKILL');

    const { jobs: after } = await again(bridge);
    const undone = await after.send('POST', `/v1/jobs/batch/${cancelled.json.undo.id}/undo`);
    const old = await Promise.all(ids.map((id) => after.get(`/v1/jobs/${id}`)));

    expect(undone.json).toEqual({ done: 2, skipped: [] });
    const anew = await Promise.all(old.map(({ json }) => after.get(`/v1/jobs/${json.retried_as}`)));
    expect(old.map(({ json }) => json.status)).toEqual(['cancelled', 'cancelled']);
    expect(anew.map(({ json }) => [json.status, json.retry_of])).toEqual(
      ids.map((id) => ['queued', id]),
    );
  });

  it('leaves the queue paused, and its jobs start by priority after it is resumed', async () => {
    const set = ['server.jobs.max_running=1'];
    const { bridge, jobs, upstream, restart } = await startWithUpstream(set);
    await jobs.send('PATCH', '/v1/queue', { body: { paused: true } });
    const low = await accepted(jobs, { prompt: 'low-priority', priority: -1 });
    const high = await accepted(jobs, { prompt: 'high-priority', priority: 1 });
    await bridge.end('SIGKILL');

    const { jobs: after } = await restart();
    const { json: queue } = await after.get('/v1/queue');
    const calls = upstream.calls.length;
    await after.send('PATCH', '/v1/queue', { body: { paused: false } });
    const ended = [await after.ended(low), await after.ended(high)];

    expect(queue).toMatchObject({
      paused: true,
      queued: 2,
      running: 0,
      by_provider: { 'agent-responses': { queued: 2, running: 0 } },
    });
    expect(calls).toBe(0);
    expect(ended.map(({ status, priority }) => [status, priority])).toEqual([
      ['succeeded', -1],
      ['succeeded', 1],
    ]);
    expect(upstream.calls.map(({ body }) => body?.includes('high-priority'))).toEqual([
      true,
      false,
    ]);
  });

  it('retries an interrupted job with its input images', async () => {
    const { bridge, jobs, upstream, callsFor, restart } = await startWithUpstream();
    upstream.script('silence=generating');
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const images = [{ type: 'base64', data: image.toString('base64') }];
    const id = await accepted(jobs, { operation: 'edit', prompt: 'twice-asked', images });
    // A call that has only begun would leave its step of the script to the retry.
    await upstream.until(() => upstream.calls[0]?.isSilent === true);
    await bridge.end('SIGKILL');

    const { jobs: after } = await restart();
    const interrupted = await after.ended(id);
    const retry = await after.send('POST', `/v1/jobs/${id}/retry`);
    const done = await after.ended(retry.json.id);

    expect(interrupted).toMatchObject(INTERRUPTED);
    expect([retry.status, retry.headers['location']]).toEqual([202, `/v1/jobs/${done.id}`]);
    expect(done).toMatchObject({ status: 'succeeded', retry_of: id });
    expect(done.request).toEqual(interrupted.request);
    expect(callsFor('twice-asked')).toBe(2);
    expect((await after.send('POST', `/v1/jobs/${done.id}/retry`)).status).toBe(409);
  });

  it('keeps the finished images of a job of three, and a retry requests the missing image', async () => {
    const { bridge, jobs, upstream, callsFor, restart } = await startWithUpstream();
    upstream.script('succeed', 'succeed', 'silence=generating');
    const id = await accepted(jobs, {
      prompt: 'three-of-a-kind',
      parameters: { n: 3 },
      output: { metadata: 'sidecar', filename_prefix: 'kind' },
    });
    await untilPublished(bridge, 2);
    await bridge.end('SIGKILL');

    const { bridge: second, jobs: after } = await restart();
    const interrupted = await after.ended(id);
    const { data } = interrupted.partial_result;
    const fetched = [];
    for (const image of data) fetched.push(await after.get(`/v1/artifacts/${image.id}`));
    const retry = await after.send('POST', `/v1/jobs/${id}/retry`);
    const done = await after.ended(retry.json.id);
    const files = await stateOf(second.cwd).listArtifacts();
    const { code } = await second.end();
    // PostgreSQL has its own programs for this check.
    const check = IS_SCALED ? code : (await runProgram(['state', 'check'], second.cwd)).code;

    expect(interrupted).toMatchObject(INTERRUPTED);
    expect(interrupted).not.toHaveProperty('result');
    expect(data).toHaveLength(2);
    expect(fetched.map(({ status, bytes }) => [status, bytes.length])).toEqual(
      data.map(({ bytes }: { bytes: number }) => [200, bytes]),
    );
    expect(done).toMatchObject({ status: 'succeeded', request: { parameters: { n: 1 } } });
    expect(done.result.data).toHaveLength(1);
    expect(callsFor('three-of-a-kind')).toBe(4);
    const names = [...data, ...done.result.data].flatMap((image) => [
      image.name,
      image.metadata_name,
    ]);
    expect(files.filter((name) => !name.startsWith('.')).sort()).toEqual(names.sort());
    expect([code, check]).toEqual([0, 0]);
  });

  it('fails a queued job whose provider is no longer configured, and runs the next one', async () => {
    const set = ['server.jobs.max_running=1', 'providers.sandbox.enabled=true'];
    const { bridge, jobs, upstream } = await startWithUpstream(set);
    upstream.script('silence=generating');
    await jobs.running(await accepted(jobs, { prompt: 'in the way' }));
    const routing = { provider: 'agent-responses' };
    const lost = await accepted(jobs, { prompt: 'a fox', routing });
    const next = await accepted(jobs, { prompt: 'a hare', routing: { provider: 'sandbox' } });
    await bridge.end('SIGKILL');

    const { jobs: after } = await again(bridge, {
      command: 'serve',
      set: [
        ...['default_provider=sandbox', 'providers.sandbox.enabled=true'],
        'providers.agent_responses.enabled=false',
      ],
    });

    const failed = { status: 'failed', error: { code: 'invalid_request', retryable: false } };
    expect(await after.ended(lost)).toMatchObject(failed);
    expect(await after.ended(next)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a shutdown', () => {
  it('finishes running jobs, starts no queued job, and replies to waiting clients', async () => {
    const { bridge, jobs, upstream, restart } = await startWithUpstream([
      'server.jobs.max_running=1',
    ]);
    upstream.script({ behaviour: 'succeed', delayMs: 500 });
    const running = await accepted(jobs, { prompt: 'on its way' });
    const queued = await accepted(jobs, { prompt: 'in the queue' });
    await upstream.until(() => upstream.calls.length === 1);
    const waits = [running, queued].map((id) => jobs.get(`/v1/jobs/${id}?wait_ms=30000`));
    await jobs.get('/v1/diagnostics');

    const ended = await bridge.end();
    const replies = await Promise.all(waits);
    const calls = upstream.calls.length;
    const { jobs: after } = await restart();

    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(replies.map(({ json }) => json.status)).toEqual(['succeeded', 'queued']);
    expect(calls).toBe(1);
    expect(await after.ended(queued)).toMatchObject({ status: 'succeeded' });
  });

  it('interrupts jobs that still run after the grace period, and replies to waiting clients', async () => {
    const { bridge, jobs } = await start({
      set: ['runtime.shutdown_grace_ms=50', 'runtime.cancellation_grace_ms=50'],
    });
    const id = await accepted(jobs, hang);
    await jobs.running(id);
    const wait = jobs.get(`/v1/jobs/${id}?wait_ms=30000`);
    await jobs.get('/v1/diagnostics');

    const ended = await bridge.end();
    const waited = await wait;
    const { jobs: after } = await again(bridge);

    expect(waited).toMatchObject({ status: 200, json: { id } });
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect((await after.get(`/v1/jobs/${id}`)).json).toMatchObject(INTERRUPTED);
  });
});

describe('retention', () => {
  it('removes jobs above the limit at the start, except favourites', async () => {
    const { bridge, jobs } = await start();
    const ids: string[] = [];
    for (let nth = 0; nth < 4; nth += 1) {
      const id = await accepted(jobs, { prompt: `number ${nth}` });
      await jobs.ended(id);
      ids.push(id);
    }
    await jobs.patch(ids[0] ?? '', { favorite: true });
    await bridge.end();

    const { jobs: after } = await again(bridge, { set: ['server.jobs.max_retained=1'] });

    const kept = [ids[3], ids[0]];
    await expect
      .poll(async () =>
        (await after.get('/v1/jobs')).json.items.map(({ id }: { id: string }) => id),
      )
      .toEqual(kept);
    expect((await after.get(`/v1/jobs/${ids[1]}`)).status).toBe(404);
    const found = await after.get('/v1/jobs?search=number');
    expect(found.json.items.map(({ id }: { id: string }) => id)).toEqual(kept);
  });
});
