import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cleanUp,
  freshFolder,
  runProgram,
  startBridge,
  stateOf,
} from '../../support/start-bridge.ts';

afterAll(cleanUp);

const serve = (cwd: string, set: readonly string[] = [], env: Record<string, string> = {}) =>
  runProgram(
    [
      'serve',
      ...[
        'default_provider=sandbox',
        'providers.sandbox.enabled=true',
        'server.bind=127.0.0.1:0',
        ...set,
      ].flatMap((assignment) => ['--set', assignment]),
    ],
    cwd,
    env,
  );

describe('image-bridge serve', () => {
  it('rejects an invalid configuration with every field and source, and changes no file', async () => {
    const cwd = await freshFolder();
    await writeFile(join(cwd, 'image-bridge.toml'), '[server]\nbind = "nowhere"\nspeed = 9\n');

    const ended = await serve(cwd, ['images.max_edge=0'], { IMAGE_BRIDGE__STATE__DIRECTORY: '' });

    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/server\.speed .*3/);
    expect(ended.stderr).toMatch(/images\.max_edge .*--set/);
    expect(ended.stderr).toMatch(/state\.directory .*IMAGE_BRIDGE__STATE__DIRECTORY/);
    expect(await readdir(cwd)).toEqual(['image-bridge.toml']);
  });

  it.each([
    ['unset', {}],
    ['empty', { BRIDGE_TOKEN: '' }],
    ['short', { BRIDGE_TOKEN: 'fifteen-bytes-x' }],
    ['unsendable', { BRIDGE_TOKEN: 'a token with some spaces' }],
  ])('rejects a bearer variable that is %s, without printing its value', async (_name, env) => {
    const cwd = await freshFolder();

    const ended = await serve(cwd, ['server.bearer_token_env=BRIDGE_TOKEN'], env);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^image-bridge: server\.bearer_token_env: [^\n]+\n$/);
    expect(ended.stderr).not.toMatch(/fifteen|spaces/);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('rejects a port in use, and changes no file', async () => {
    const cwd = await freshFolder();
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;

    const ended = await serve(cwd, [`server.bind=127.0.0.1:${port}`]);
    other.close();

    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(
      `image-bridge: server.bind: 127.0.0.1:${port} is already in use (EADDRINUSE)\n`,
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes a generation on %s, then exits 0',
    async (signal) => {
      const bridge = await startBridge({ set: ['providers.sandbox.latency_ms=2000'] });
      const replying = fetch(`${bridge.address}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'dusk',
          parameters: { size: '256x256' },
          output: { response_format: 'artifact' },
        }),
      });
      await expect.poll(() => bridge.stderr()).toContain('image_operation_started');

      const ended = bridge.end(signal);
      const reply = await replying;

      expect(reply.status).toBe(200);
      expect(reply.headers.get('connection')).toBe('close');
      const { data } = (await reply.json()) as { data: { name: string; bytes: number }[] };
      const { code } = await ended;
      expect(code).toBe(0);
      const file = await readFile(join(stateOf(bridge.cwd).artifacts, data[0]?.name ?? ''));
      expect(file.length).toBe(data[0]?.bytes);
    },
  );

  it.each([
    ['SIGTERM', 'lets it finish', 0, 2000],
    ['SIGINT', 'ends at once', 1, 600_000],
  ] as const)('%s during an orderly stop %s', async (signal, _what, code, latencyMs) => {
    const bridge = await startBridge({ set: [`providers.sandbox.latency_ms=${latencyMs}`] });
    const replying = fetch(`${bridge.address}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        prompt: 'dusk',
        parameters: { size: '256x256' },
        output: { response_format: 'metadata' },
      }),
    }).then(
      ({ status }) => status,
      () => 'broken',
    );
    await expect.poll(() => bridge.stderr()).toContain('image_operation_started');
    bridge.child.kill('SIGTERM');
    // The bridge has begun to stop when it accepts no connections.
    await expect.poll(() => fetch(bridge.address).catch(() => 'refused')).toBe('refused');

    const ended = await bridge.end(signal);

    expect([ended.code, await replying]).toEqual([code, code === 0 ? 200 : 'broken']);
  });

  it('aborts runs that exceed the grace period, and still exits 0', async () => {
    const bridge = await startBridge({
      set: ['runtime.shutdown_grace_ms=100', 'runtime.cancellation_grace_ms=50'],
    });
    const replying = fetch(`${bridge.address}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'dusk', routing: { model: 'sandbox-hang' } }),
    });
    await expect.poll(() => bridge.stderr()).toContain('image_operation_started');

    const ended = await bridge.end('SIGTERM');
    const reply = await replying;

    expect(reply.status).toBe(499);
    expect(ended.code).toBe(0);
  });
});

describe('image-bridge', () => {
  it.each([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [['--help'], 0, /quickstart[\s\S]+serve[\s\S]+config[\s\S]+schema/, /^$/],
    [['dance'], 2, /^$/, /quickstart/],
    [['serve', '--speed'], 2, /^$/, /^usage: image-bridge serve/],
    [['__proto__'], 2, /^$/, /quickstart/],
  ])('exits for %j with %i', async (argv, code, stdout, stderr) => {
    const ended = await runProgram(argv, await freshFolder());

    expect(ended.code).toBe(code);
    expect(ended.stdout).toMatch(stdout);
    expect(ended.stderr).toMatch(stderr);
  });
});
