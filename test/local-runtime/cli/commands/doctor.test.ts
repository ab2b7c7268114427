import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIds } from '../../../../lib/platform/ids.ts';
import type { Finding } from '../../../../local-runtime/cli/doctor/finding.ts';
import { lockFile } from '../../../../local-runtime/server/locks/file-lock.ts';
import { runCommand } from '../../../support/run-command.ts';
import { emptyBucket, HAS_S3 } from '../../../support/s3-server.ts';
import { openSqliteState } from '../../../support/sqlite-state.ts';
import { cleanUp, startBridge } from '../../../support/start-bridge.ts';

let folder: string;
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-doctor-'));
});
afterEach(async () => {
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});
afterAll(cleanUp);

const SANDBOX = ['default_provider=sandbox', 'providers.sandbox.enabled=true'];

function doctor(set: readonly string[], env: Record<string, string> = {}, ...flags: string[]) {
  const places = [
    `state.directory=${folder}/data/state`,
    `artifacts.root=${folder}/data/artifacts`,
  ];
  const argv = ['server.bind=127.0.0.1:0', ...places, ...set].flatMap((it) => ['--set', it]);
  return runCommand(['doctor', ...argv, ...flags], {
    cwd: folder,
    env: { CODEX_HOME: join(folder, 'codex'), ...env },
  });
}

/** Runs `doctor` and returns its findings by check. */
async function findings(set: readonly string[] = [], env: Record<string, string> = {}) {
  const { stdout } = await doctor([...SANDBOX, ...set], env, '--json');
  const { checks } = JSON.parse(stdout) as { checks: readonly Finding[] };
  return new Map(checks.map((finding) => [finding.check, finding]));
}

/** Listens on a port of this machine until the test ends. */
async function listen(): Promise<number> {
  const listening = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nhello'));
  server = listening;
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  const address = listening.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('doctor', () => {
  it('reports no failed check on a fresh machine with the sandbox, and changes nothing', async () => {
    const result = await doctor(SANDBOX);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toMatch(/\ngood: \d+, warnings: 1, bad: 0\n$/);
    expect(await readdir(folder)).toEqual([]);
  });

  it.runIf(HAS_S3)('checks that the bucket can be listed, and writes nothing', async () => {
    const { bucket, folder: objects, ...s3 } = await emptyBucket();
    vi.stubEnv('AWS_ACCESS_KEY_ID', s3.accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', s3.secretAccessKey);
    const find = async (name: string) => {
      const set = [
        'driver=s3',
        `s3.bucket=${name}`,
        `s3.endpoint=${s3.endpoint}`,
        `s3.region=${s3.region}`,
      ];
      const more = ['s3.allow_http=true', 's3.path_style=true'];
      const found = await findings([...set, ...more].map((one) => `artifacts.${one}`));
      return found.get('artifacts.s3');
    };

    expect(await find(bucket)).toMatchObject({
      level: 'good',
      message: 'the bucket has no images yet',
    });
    expect(await readdir(objects)).toEqual([]);
    expect(await find('no-such-bucket')).toMatchObject({
      level: 'bad',
      message: 'the bucket cannot be used (NoSuchBucket)',
      advice: expect.stringMatching(/^Start the S3 server, or correct artifacts\.s3/),
    });
    vi.unstubAllEnvs();
  });

  it('prints advice for every check that is not good', async () => {
    await mkdir(join(folder, 'data/state'), { recursive: true });
    await chmod(join(folder, 'data/state'), 0o755);

    const found = await findings(['server.bind=0.0.0.0:0']);

    expect(found.get('configuration')).toMatchObject({ level: 'warning' });
    expect(found.get('state.directory')).toEqual({
      check: 'state.directory',
      level: 'warning',
      message: `${folder}/data/state contains prompts, and other users can access the folder`,
      advice: `chmod 700 ${folder}/data/state`,
    });
    for (const { level, advice } of found.values()) expect(level === 'good').toBe(!advice);
  });

  it('exits 1 for an invalid configuration and names its field', async () => {
    const result = await doctor(['server.bnid=1']);

    expect(result.exitCode).toBe(1);
    expect(result.stdout).toMatch(/^bad {6}configuration {2}server\.bnid \(--set\)/);
  });

  it('reports a missing login as bad for the default provider and as a warning for another provider', async () => {
    const byDefault = await doctor([]);
    const beside = await findings();

    expect(byDefault.exitCode).toBe(1);
    expect(byDefault.stdout).toMatch(
      /bad +provider agent-responses +the login file does not exist .*\n.*codex login/,
    );
    expect(beside.get('provider agent-responses')?.level).toBe('warning');
  });

  it.each([
    ['{', 'the login file is not a complete JSON document'],
    ['{}', 'the login file contains no login that this provider supports'],
  ])('explains why the login %s cannot be used', async (text, reason) => {
    await mkdir(join(folder, 'codex'));
    await writeFile(join(folder, 'codex/auth.json'), text, { mode: 0o600 });

    const found = await findings();

    expect(found.get('provider agent-responses')?.message).toBe(`${reason} (${folder}/codex)`);
  });

  it('reports for each account whether its key can be used, and never shows the key', async () => {
    const file = join(folder, 'key');
    await writeFile(file, 'hunter2', { mode: 0o644 });
    const [work, team] = ['providers.openai_images.work', 'providers.openai_images.team'];
    const set = [`${work}.api_key_env=WORK_KEY`, `${team}.api_key_file=${file}`];

    const open = await findings(set, {});
    await chmod(file, 0o600);
    const usable = await findings(set, { WORK_KEY: 'hunter2' });
    await chmod(file, 0o666);
    const unusable = await findings(set, { WORK_KEY: 'hunter 2' });

    expect(open.get('provider work')).toEqual({
      check: 'provider work',
      level: 'warning',
      message: 'the environment variable in `api_key_env` is not set',
      advice: `Set the variable WORK_KEY in the environment of the bridge, or set ${work}.api_key_file to a file.`,
    });
    expect(open.get('provider team')).toMatchObject({
      level: 'warning',
      message: `every user of this machine can read the API key (${file})`,
      advice: `chmod 600 ${file}`,
    });
    expect([usable.get('provider work'), usable.get('provider team')]).toMatchObject([
      { level: 'good' },
      { level: 'good' },
    ]);
    expect(unusable.get('provider team')).toMatchObject({
      level: 'warning',
      message: 'the file in `api_key_file` is writable by its group or by others',
    });
    for (const found of [open, usable, unusable]) {
      expect(JSON.stringify([...found])).not.toMatch(/hunter/);
    }
  });

  it('reports a ComfyUI workflow that cannot be used', async () => {
    const set = [
      'providers.comfyui.studio.image_model=flux',
      `providers.comfyui.studio.workflows={flux = {file = "${folder}/flux.json", output = "9", prompt = "6.text", edge_multiple = 8, max_edge = 64}}`,
    ];

    const found = await findings(set);

    expect(found.get('provider studio')).toMatchObject({
      level: 'warning',
      message: 'a workflow cannot be read, or has no node or input for a binding',
      advice: expect.stringContaining('providers.comfyui.studio.workflows'),
    });
  });

  it.each([
    [0, 'good', 'can create namespaces'],
    [1, 'warning', 'edits with agent-app-server will fail'],
  ])(
    'reports the effect on the agent of a bubblewrap that exits with %i',
    async (code, level, text) => {
      await writeFile(join(folder, 'bwrap'), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
      const set = ['providers.agent_app_server.enabled=true'];

      const found = await findings(set, { PATH: folder });
      const without = await findings(set, { PATH: join(folder, 'nothing') });
      const unused = await findings([], { PATH: folder });

      expect(found.get('bubblewrap')).toMatchObject({
        level,
        message: expect.stringContaining(text),
      });
      expect(without.has('bubblewrap') || unused.has('bubblewrap')).toBe(false);
    },
  );

  it('reports a port that another program uses', async () => {
    const port = await listen();

    const found = await findings([`server.bind=127.0.0.1:${port}`]);

    expect(found.get('server.bind')).toMatchObject({
      level: 'bad',
      message: `another program is listening on 127.0.0.1:${port}`,
    });
  });

  it('recognises a running bridge, its lock and its database', async () => {
    const bridge = await startBridge({ cwd: folder });

    const found = await findings([`server.bind=127.0.0.1:${bridge.port}`]);

    expect(found.get('server.bind')).toMatchObject({
      level: 'good',
      message: `a bridge is listening on 127.0.0.1:${bridge.port}`,
    });
    expect(found.get('state lock')?.message).toBe('held by a running bridge');
    expect(found.get('database')).toMatchObject({ level: 'good' });
    expect((await fetch(`${bridge.address}/health/ready`)).status).toBe(200);
  });

  it('reports a database that cannot be read', async () => {
    await mkdir(join(folder, 'data/state'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, 'data/state/bridge.sqlite'), 'a letter '.repeat(100));

    const found = await findings();

    expect(found.get('database')).toMatchObject({
      level: 'bad',
      message: expect.stringContaining('data/state/bridge.sqlite is damaged or belongs to'),
      advice: expect.stringContaining('state restore'),
    });
  });

  it('reports a damaged page of the database with the path of the database', async () => {
    const file = join(folder, 'data/state/bridge.sqlite');
    await mkdir(join(folder, 'data/state'), { recursive: true, mode: 0o700 });
    const { sessions, close } = await openSqliteState(
      createIds(() => 0),
      join(folder, 'data/state'),
    );
    for (let row = 0; row < 100; row += 1) {
      const session = {
        scope: 'anonymous',
        provider: 'sandbox',
        key: `${row} ${'x'.repeat(5000)}`,
      };
      await sessions.bind(session, `thread ${row}`);
    }
    await close();
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 20_000));

    const found = await findings();

    expect(found.get('database')).toMatchObject({
      level: 'bad',
      message: expect.stringContaining(`${file} is damaged: `),
      advice: expect.stringContaining('state restore'),
    });
  });

  it('reports an empty database beside artifacts', async () => {
    await mkdir(join(folder, 'data/state'), { recursive: true, mode: 0o700 });
    await mkdir(join(folder, 'data/artifacts/.staging'), { recursive: true });
    await writeFile(join(folder, 'data/state/bridge.sqlite'), '');

    const found = await findings();

    expect(found.get('database')).toMatchObject({
      level: 'bad',
      message: expect.stringContaining('data/state/bridge.sqlite is empty'),
    });
  });

  it('reports a file where a folder should be', async () => {
    await writeFile(join(folder, 'data'), 'a letter');

    const found = await findings();

    expect(found.get('artifacts.root')).toMatchObject({
      level: 'bad',
      message: `${folder}/data is a file`,
    });
  });

  it('reports a broken link, such as to a disk that is not mounted', async () => {
    await mkdir(join(folder, 'data'));
    await symlink(join(folder, 'disk/artifacts'), join(folder, 'data/artifacts'));

    const found = await findings();

    expect(found.get('artifacts.root')).toMatchObject({
      level: 'bad',
      message: `${folder}/data/artifacts is a broken link`,
    });
  });

  it('does not check the artifact folder before the first artifact', async () => {
    const bridge = await startBridge({ cwd: folder });
    await bridge.end();

    const found = await findings();

    expect(found.get('database')).toMatchObject({ level: 'good' });
    expect(found.has('artifacts')).toBe(false);
  });

  it('never shows the token that it checks', async () => {
    const set = ['server.bearer_token_env=BRIDGE_TOKEN'];

    const short = await doctor([...SANDBOX, ...set], { BRIDGE_TOKEN: 'short-secret' });
    const present = await findings(set, { BRIDGE_TOKEN: 'a-long-enough-secret' });

    expect(short.exitCode).toBe(1);
    expect(short.stdout).toMatch(/bad +server\.bearer_token_env +the token .* shorter than 16/);
    expect(short.stdout).not.toContain('short-secret');
    expect(present.get('server.bearer_token_env')?.level).toBe('good');
  });

  it('reports whether the webhook secret can be used, and never shows the secret', async () => {
    const set = ['server.webhooks.enabled=true', 'server.webhooks.secret_env=HOOK_SECRET'];
    const check = 'server.webhooks.secret_env';
    const secret = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;

    const usable = await findings(set, { HOOK_SECRET: secret });
    const unusable = await findings(set, { HOOK_SECRET: 'whsec_short' });
    const off = await findings();

    expect(usable.get(check)).toMatchObject({ level: 'good' });
    expect(unusable.get(check)).toMatchObject({ level: 'bad' });
    expect(JSON.stringify([...usable.values(), ...unusable.values()])).not.toMatch(
      /whsec_(short|[A-Z])/,
    );
    expect(off.has(check)).toBe(false);
  });

  it('warns if no host is allowed for webhooks', async () => {
    const set = ['server.webhooks.enabled=true', 'server.webhooks.secret_env=HOOK_SECRET'];
    const env = { HOOK_SECRET: `whsec_${Buffer.alloc(32, 4).toString('base64')}` };
    const check = 'server.webhooks.allowed_hosts';

    const none = await findings(set, env);
    const one = await findings([...set, `${check}=["hooks.test"]`], env);

    expect(none.get(check)).toMatchObject({ level: 'warning' });
    expect(one.get(check)).toMatchObject({ level: 'good' });
  });

  it('names the holder of the activation lock', async () => {
    const path = join(folder, 'activation');
    const holder = { pid: 4711, host: 'blue', since: 1_700_000_000 };
    await writeFile(`${path}.holder`, JSON.stringify(holder));
    const lock = lockFile(path);

    const held = await findings([`server.activation_lock=${path}`]);
    lock?.release();
    const free = await findings([`server.activation_lock=${path}`]);

    expect(held.get('server.activation_lock')?.message).toBe(
      'held by process 4711 on blue since 2023-11-14T22:13:20.000Z',
    );
    expect(free.get('server.activation_lock')?.message).toBe('free');
  });

  it('colours the levels on a terminal', async () => {
    const isTerminal = { stdin: true, stdout: true, stderr: true };

    const { stdout } = await runCommand(['doctor', '--set', 'x.y=1'], { cwd: folder, isTerminal });

    expect(stdout.startsWith('\u001b[31mbad')).toBe(true);
  });
});
