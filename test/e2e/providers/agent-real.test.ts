import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImageJob } from '../../../lib/contract/resources/job.ts';
import { isRunning } from '../../lib/providers/agent-app-server/child-rig.ts';
import { createImage } from '../../support/create-image.ts';
import { AGENT_VERSIONS, installAgent } from '../../support/real-agent/install-agent.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
} from '../../support/responses-upstream/responses-upstream.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

/** Enough time for a busy machine. */
const SOON = { timeout: 10_000 };
const PHOTO = new URL('../../data/photos/chelsea.png', import.meta.url);

const agents = await Promise.all(
  AGENT_VERSIONS.map(async (version) => ({ version, binary: await installAgent(version) })),
);

afterAll(cleanUp);

describe.for(agents)('the agent $version behind the bridge', ({ version, binary = '' }) => {
  let upstream: ResponsesUpstream;
  let home: string;
  let cwd: string;
  let bridge: StartedBridge;
  let callsBefore = 0;

  async function start(): Promise<void> {
    bridge = await startBridge({
      command: 'serve',
      cwd,
      set: [
        'default_provider=agent-app-server',
        'providers.agent_responses.enabled=false',
        `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
        'providers.agent_app_server.enabled=true',
        `providers.agent_app_server.executable=${binary}`,
        `providers.agent_app_server.home=${home}`,
        `providers.agent_app_server.base_url=${upstream.baseUrl}`,
        `providers.agent_app_server.account_base_url=${upstream.accountBaseUrl}`,
        // The images are compared with the images of the agent.
        'provenance.mark=never',
        'runtime.circuit_breaker.enabled=false',
        'runtime.cancellation_grace_ms=10000',
      ],
    });
  }

  beforeAll(async () => {
    if (binary === '') return;
    upstream = await createResponsesUpstream();
    home = await freshFolder();
    cwd = await freshFolder();
    await upstream.writeLogin(home);
    await start();
  });
  beforeEach(({ skip }) => {
    skip(binary === '', `@openai/codex ${version} could not be installed`);
    callsBefore = upstream.calls.length;
  });
  afterEach(async () => {
    // No image and no input of a request survives it. The threads of sessions are deleted by the tests that create them.
    await expect.poll(leftFiles, SOON).toEqual([]);
  });
  afterAll(async () => {
    await bridge?.end();
    await upstream?.close();
  });

  async function send(method: string, path: string, body?: object) {
    const response = await fetch(bridge.address + path, {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, json };
  }
  const create = (body: object, signal?: AbortSignal) => createImage(bridge, body, signal);

  const newCalls = () => upstream.calls.slice(callsBefore);
  const newPaths = () => newCalls().map(({ path }) => path.replace('/backend-api/codex/', ''));
  const isHanging = () => newCalls().some(({ isSilent }) => isSilent);

  /** Returns the images that the last edit sent. */
  function editedImages(): readonly string[] {
    const edit = newCalls().findLast(({ path }) => path.endsWith('/images/edits'));
    const { images } = JSON.parse(edit?.body?.toString() ?? '{"images":[]}');
    return images.map((image: { readonly image_url: string }) => image.image_url);
  }

  /** Returns the data of requests that the agent and the bridge keep: images, inputs, histories. */
  async function leftFiles(): Promise<string[]> {
    const root = join(cwd, 'data/state/agent-app-server');
    const folders = ['home/generated_images', 'home/sessions', 'inputs', 'threads'];
    const entries = await Promise.all(
      folders.map((folder) =>
        readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []),
      ),
    );
    return entries.flat().flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  }

  it('generates an image', async () => {
    const { status, json } = await create({ prompt: 'a fox' });

    expect(status).toBe(200);
    expect(json).toMatchObject({
      provider: 'agent-app-server',
      model: 'gpt-image-2',
      revised_prompt: expect.stringContaining('a fox'),
      data: [{ format: 'png', width: 1024, height: 1024 }],
      warnings: [],
    });
    expect(json).not.toHaveProperty('session');
    expect(newPaths().slice(0, 2)).toEqual(['responses', 'images/generations']);
  });

  it('generates several images at the same time, each once', async () => {
    const { json } = await create({ prompt: 'a fox', parameters: { n: 3 } });

    expect(json.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(newPaths().filter((path) => path === 'images/generations')).toHaveLength(3);
  });

  it('edits a photograph that it sends with unchanged bytes', async () => {
    const data = (await readFile(PHOTO)).toString('base64');

    const { status } = await create({
      operation: 'edit',
      prompt: 'add a hat',
      images: [{ type: 'base64', data }],
    });

    expect(status).toBe(200);
    expect(editedImages()).toEqual([`data:image/png;base64,${data}`]);
  });

  it('continues a session after a restart of both processes', async () => {
    const session = { mode: 'persistent', key: 'storyboard' };
    const first = await create({ prompt: 'a fox', session });
    await bridge.end();
    await start();

    const second = await create({ prompt: 'make it blue', session });
    const thread_id = first.json.session?.thread_id;
    const third = await create({ prompt: 'and red', session: { mode: 'thread', thread_id } });

    expect(first.json.session).toEqual({ key: 'storyboard', thread_id, reused: false });
    expect(second.json.session).toEqual({ key: 'storyboard', thread_id, reused: true });
    expect(third.json.session).toEqual({ thread_id, reused: true });
    const [blue] = second.json.data;
    const base64 = blue?.type === 'b64_json' ? blue.b64_json : '';
    expect(editedImages()).toEqual([`data:image/png;base64,${base64}`]);
    expect(await send('GET', '/v1/sessions/storyboard')).toEqual({
      status: 200,
      json: { key: 'storyboard', thread_id, reused: true },
    });
    expect(await send('DELETE', '/v1/sessions/storyboard')).toMatchObject({ status: 204 });
    expect(await send('GET', '/v1/sessions/storyboard')).toMatchObject({ status: 404 });
    const late = await create({ prompt: 'again', session: { mode: 'thread', thread_id } });
    expect(late.json.error.code).toBe('session_not_found');
  });

  it('keeps a session whose turn was cancelled, and deletes it only between turns', async () => {
    const session = { mode: 'persistent', key: 'cancelled' };
    const client = new AbortController();
    const cancelled = create({ prompt: '[[images:hang]]', session }, client.signal);
    cancelled.catch(() => {});
    await upstream.until(isHanging);

    const busy = await send('DELETE', '/v1/sessions/cancelled');
    client.abort();
    await expect(cancelled).rejects.toThrow();
    const next = await create({ prompt: 'a fox', session });
    const deleted = await send('DELETE', '/v1/sessions/cancelled');

    expect(busy).toMatchObject({ status: 409, json: { error: { code: 'session_busy' } } });
    expect(next).toMatchObject({ status: 200, json: { session: { reused: true } } });
    expect(deleted.status).toBe(204);
  });

  it('runs the session of a job', async () => {
    const session = { mode: 'persistent', key: 'job' };
    const created = await send('POST', '/v1/jobs', { prompt: 'a fox', session });
    const { id } = created.json as ImageJob;

    const { json } = await send('GET', `/v1/jobs/${id}?wait_ms=30000`);

    expect(json).toMatchObject({ result: { session: { key: 'job', reused: false } } });
    expect(await send('DELETE', '/v1/sessions/job')).toMatchObject({ status: 204 });
  });

  it('interrupts the turn when the client disconnects', async () => {
    const client = new AbortController();
    const cancelled = create({ prompt: '[[images:hang]]' }, client.signal);
    cancelled.catch(() => {});
    await upstream.until(isHanging);

    client.abort();

    await upstream.until(() => newCalls().some((it) => it.outcome === 'client_disconnected'));
    await expect(cancelled).rejects.toThrow();
  });

  it('interrupts the turn at the deadline, and reports that it has ended', async () => {
    const { status, json } = await create({ prompt: '[[images:hang]]', timeout_ms: 2000 });

    expect(status).toBe(504);
    expect(json.error.bridge_ext.details).toMatchObject({ provider_stopped: true });
    await upstream.until(() => newCalls().some((it) => it.outcome === 'client_disconnected'));
  });

  it.each([
    ['[[images:status=400,moderation_blocked]]', 400, 'moderation_blocked'],
    ['[[images:status=401]]', 503, 'provider_authentication'],
    ['[[images:status=403]]', 403, 'permission_denied'],
    ['[[images:status=429]]', 429, 'rate_limit_exceeded'],
    ['[[images:status=500]]', 502, 'upstream_error'],
    ['[[images:empty]]', 502, 'upstream_error'],
    ['[[images:garbage]]', 502, 'protocol_error'],
    ['[[model:status=429]]', 429, 'rate_limit_exceeded'],
    ['[[model:status=500]]', 502, 'upstream_error'],
    ['[[model:no-image]]', 502, 'upstream_error'],
  ])('replies to %s with %i and %s, after one call of each kind', async (prompt, status, code) => {
    const reply = await create({ prompt });

    expect(reply.status).toBe(status);
    expect(reply.json.error.code).toBe(code);
    const images = newPaths().filter((path) => path === 'images/generations');
    expect(images).toHaveLength(prompt.startsWith('[[images') ? 1 : 0);
  });

  it('reports an unknown outcome when the connection of an image breaks', async () => {
    const { status, json } = await create({ prompt: '[[images:cut]]' });

    expect(status).toBe(502);
    expect(json.error.bridge_ext).toMatchObject({
      retryable: false,
      details: { outcome: 'unknown' },
    });
    expect(newPaths().filter((path) => path === 'images/generations')).toHaveLength(1);
  });

  it('uses a login that was renewed while it runs', async () => {
    upstream.expireAccessToken();
    await upstream.writeLogin(home);

    const { status } = await create({ prompt: 'a fox' });

    expect(status).toBe(200);
    expect(upstream.refreshes.filter(({ hasIssued }) => hasIssued)).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')(
    'leaves no process when the bridge is killed',
    async () => {
      await create({ prompt: 'a fox' });
      const { pid } = bridge.child;
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      const agent = children.trim().split(' ').map(Number);

      await bridge.end('SIGKILL');

      expect(agent).toHaveLength(1);
      await expect.poll(() => isRunning(agent[0] ?? 0), SOON).toBe(false);
      await start();
      expect(await create({ prompt: 'a fox' })).toMatchObject({ status: 200 });
    },
  );
});
