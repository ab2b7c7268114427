import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  childSettings,
  isRunning,
  readLog,
} from '../../lib/providers/agent-app-server/child-rig.ts';
import { plainPng } from '../../support/agent-child/png.ts';
import { createImage as create } from '../../support/create-image.ts';
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

let upstream: ResponsesUpstream;
let home: string;
let log: string;

beforeEach(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 40_000 });
  [home, log] = [await freshFolder(), await freshFolder()];
  await upstream.writeLogin(home);
});
afterEach(() => upstream.close());
afterAll(cleanUp);

/** Starts the program with the stand-in as its default provider. */
function start(set: readonly string[] = [], cwd?: string): Promise<StartedBridge> {
  return startBridge({
    ...(cwd === undefined ? {} : { cwd }),
    command: 'serve',
    env: { IMAGE_BRIDGE_TEST_TOKEN: 'a-token-of-sixteen-bytes-or-more' },
    set: [
      'default_provider=agent-app-server',
      `providers.agent_responses.home=${home}`,
      `providers.agent_responses.token_endpoint=${upstream.tokenUrl}`,
      ...childSettings(home, ['--log', log]),
      ...set,
    ],
  });
}

const toInput = (png: Buffer) => ({ type: 'base64', data: png.toString('base64') });

async function get({ address }: StartedBridge, path: string) {
  const response = await fetch(address + path);
  return { status: response.status, text: await response.text() };
}

async function childPids(): Promise<readonly number[]> {
  return (await readdir(log)).map((name) => Number.parseInt(name, 10));
}

describe('a bridge with the provider agent-app-server', () => {
  it('generates verified images, with several outputs in parallel', async () => {
    const bridge = await start(['server.metrics.enabled=true']);

    const { status, json } = await create(bridge, { prompt: 'a fox', parameters: { n: 3 } });

    expect([status, json.provider, json.model]).toEqual([200, 'agent-app-server', 'gpt-image-2']);
    expect(json.data).toHaveLength(3);
    expect(new Set(json.data.map(({ sha256 }) => sha256)).size).toBe(3);
    expect(await childPids()).toHaveLength(1);
    expect((await get(bridge, '/health/ready')).status).toBe(200);
    expect((await get(bridge, '/metrics')).text).toContain('provider_restarts_total 0');
  });

  it('converts an image to a format that the agent cannot generate', async () => {
    const bridge = await start();

    const { status, json } = await create(bridge, {
      prompt: 'a fox',
      policies: { compatibility: 'normalize' },
      parameters: { output_format: 'webp' },
    });

    expect([status, json.data[0]?.format]).toEqual([200, 'webp']);
  });

  it('counts the restarts of the child in diagnostics and metrics', async () => {
    const bridge = await start(['server.metrics.enabled=true']);
    await create(bridge, { prompt: 'a fox [[crash=started]]' });

    const { status } = await create(bridge, { prompt: 'a fox' });

    expect(status).toBe(200);
    const { providers } = JSON.parse((await get(bridge, '/v1/diagnostics')).text);
    expect(providers).toContainEqual(
      expect.objectContaining({ name: 'agent-app-server', restarts: 1 }),
    );
    expect((await get(bridge, '/metrics')).text).toContain('provider_restarts_total 1');
  });

  it('lists the model once for each provider, and routes its plain name to the default provider', async () => {
    const bridge = await start();

    const { data } = JSON.parse((await get(bridge, '/v1/models')).text);

    const owners = new Map(
      data.map((model: { id: string; owned_by: string }) => [model.id, model.owned_by]),
    );
    expect(owners.get('gpt-image-2')).toBe('agent-app-server');
    expect(owners.get('agent-responses/gpt-image-2')).toBe('agent-responses');
    expect(owners.get('gpt-image-1.5')).toBe('agent-responses');
  });

  it('is not ready without the executable', async () => {
    const bridge = await start(['providers.agent_app_server.executable=./no-such-file']);

    expect((await get(bridge, '/health/ready')).status).toBe(503);
    expect(await create(bridge, { prompt: 'a fox' })).toMatchObject({
      status: 500,
      json: { error: { bridge_ext: { code: 'configuration', provider: 'agent-app-server' } } },
    });
  });

  it('passes none of its own environment to the child', async () => {
    const bridge = await start(['server.allowed_hosts=[]']);
    await create(bridge, { prompt: 'a fox' });

    const [pid] = await childPids();

    const text = await readFile(join(log, `${pid}.jsonl`), 'utf8');
    expect(text).not.toContain('a-token-of-sixteen-bytes-or-more');
    expect(text).not.toContain('IMAGE_BRIDGE');
  });

  it('edits with sources and references as private files, which are removed after the turn', async () => {
    const bridge = await start();
    const [source, reference] = [plainPng(16, 1), plainPng(24, 2)];

    const { status } = await create(bridge, {
      operation: 'edit',
      prompt: 'a redder fox',
      images: [toInput(source)],
      reference_images: [toInput(reference)],
    });

    expect(status).toBe(200);
    const [pid] = await childPids();
    const { staged, received } = await readLog(join(log, `${pid}.jsonl`));
    expect(staged).toEqual([
      [
        {
          path: expect.stringMatching(/\/1\.png$/),
          mode: 0o600,
          base64: source.toString('base64'),
        },
        {
          path: expect.stringMatching(/\/2\.png$/),
          mode: 0o600,
          base64: reference.toString('base64'),
        },
      ],
    ]);
    const { params } = received.find(({ method }) => method === 'turn/start');
    expect(params.input.slice(1)).toEqual(
      staged[0]?.map(({ path }) => ({ type: 'localImage', path, detail: 'original' })),
    );
    expect(params.input[0].text).toContain(
      'Image 1 is to be edited. Image 2 is for reference only.',
    );
    const inputs = join(bridge.cwd, 'data', 'state', 'agent-app-server', 'inputs');
    await expect.poll(() => readdir(inputs)).toEqual([]);
  });

  it('removes the files of turns that a crash has ended when it starts', async () => {
    const bridge = await start();
    const inputs = join(bridge.cwd, 'data', 'state', 'agent-app-server', 'inputs');
    const body = {
      operation: 'edit',
      prompt: 'a fox [[hang]]',
      images: [toInput(plainPng(16, 1))],
    };
    const hanging = create(bridge, body).catch(() => undefined);
    await expect.poll(() => readdir(inputs).catch(() => [])).toHaveLength(1);
    await bridge.end('SIGKILL');
    await hanging;
    expect(await readdir(inputs)).toHaveLength(1);

    await start([], bridge.cwd);

    await expect.poll(() => readdir(inputs).catch(() => [])).toEqual([]);
  });

  it('refines an image turn by turn, across a restart of the bridge and its child', async () => {
    const first = await start();
    const session = { mode: 'persistent', key: 'a-fox' };
    const made = await create(first, { prompt: 'a fox', session });
    await first.end();
    const second = await start([], first.cwd);

    const refined = await create(second, { prompt: 'redder', session });

    expect([made.status, refined.status]).toEqual([200, 200]);
    expect(refined.json.session).toMatchObject({
      thread_id: made.json.session?.thread_id,
      reused: true,
    });
    const { text } = await get(second, '/v1/sessions/a-fox');
    expect(JSON.parse(text)).toMatchObject({ thread_id: made.json.session?.thread_id });
    const deleted = await fetch(`${second.address}/v1/sessions/a-fox`, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
    expect((await get(second, '/v1/sessions/a-fox')).status).toBe(404);
  });

  it('ends a request at its deadline, and reports if the turn has ended', async () => {
    const bridge = await start();
    await create(bridge, { prompt: 'a fox' });

    const { status, json } = await create(bridge, { prompt: 'a fox [[hang]]', timeout_ms: 1500 });

    expect(status).toBe(504);
    expect(json.error.bridge_ext).toMatchObject({
      retryable: false,
      details: { outcome: 'unknown', provider_stopped: true },
    });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'leaves no child running after %s',
    async (signal) => {
      const bridge = await start(['runtime.shutdown_grace_ms=100']);
      await create(bridge, { prompt: 'a fox' });
      const hanging = create(bridge, { prompt: 'a fox [[hang]]' }).catch(() => undefined);
      const pids = await childPids();

      await bridge.end(signal);
      await hanging;

      for (const pid of pids) await expect.poll(() => isRunning(pid)).toBe(false);
    },
  );
});
