import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  cleanUp,
  freshFolder,
  launchProgram,
  runProgram,
  startBridge,
} from '../../support/start-bridge.ts';

afterAll(cleanUp);

const LOCK = 'server.activation_lock=shared/lock';

/** Returns every file and folder below a folder, with octal permissions. */
async function rightsBelow(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const rights = names.map(async (name) => {
    const found = await lstat(join(folder, name));
    const kind = found.isDirectory() ? 'folder' : 'file';
    return [name, `${kind} ${(found.mode & 0o777).toString(8)}`] as const;
  });
  return Object.fromEntries((await Promise.all(rights)).sort());
}

/** Runs with the umask of a careless user, under which files are readable by everyone by default. */
async function withoutMask<T>(work: () => Promise<T>): Promise<T> {
  const mask = process.umask(0);
  try {
    return await work();
  } finally {
    process.umask(mask);
  }
}

async function post(address: string, path: string, body: object) {
  const reply = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = (await reply.json()) as { id: string; data?: { b64_json: string }[] };
  expect(reply.ok, JSON.stringify(json)).toBe(true);
  return json;
}

/** Creates one file of every kind that the bridge stores. */
async function useEverything(address: string): Promise<void> {
  const parameters = { size: '64x64' };
  const { data } = await post(address, '/v1/images', { prompt: 'a fox', parameters });
  await post(address, '/v1/images', {
    prompt: 'a fox',
    parameters,
    output: { response_format: 'artifact', directory: 'a/b', metadata: 'sidecar_and_embedded' },
  });
  await post(address, '/v1/presets', { name: 'icons', template: {} });
  const { id } = await post(address, '/v1/jobs', {
    prompt: 'a fox at night',
    operation: 'edit',
    images: [{ type: 'base64', data: data?.[0]?.b64_json }],
    parameters,
  });
  await expect
    .poll(async () => (await fetch(`${address}/v1/jobs/${id}`)).json())
    .toMatchObject({ status: 'succeeded' });
  expect((await fetch(`${address}/v1/jobs?search=fox`)).ok).toBe(true);
}

describe('the files of the program', () => {
  it('are accessible only to their owner, with any umask', async () => {
    const cwd = await freshFolder();
    await withoutMask(async () => {
      const bridge = await startBridge({ cwd, set: [LOCK] });
      await useEverything(bridge.address);
      const backup = await runProgram(['state', 'backup', 'backup.sqlite'], cwd);
      expect(backup.code, backup.stderr).toBe(0);
      const tokens = ['--set', 'server.tokens_file=secrets/tokens.toml'];
      await mkdir(join(cwd, 'secrets'), { mode: 0o700 });
      const added = await runProgram(['tokens', 'add', 'alice', ...tokens], cwd);
      expect(added.code, added.stderr).toBe(0);
      // SIGKILL leaves files that a normal stop would remove.
      await bridge.end('SIGKILL');
    });

    const rights = await rightsBelow(cwd);

    expect(Object.keys(rights)).toEqual(
      expect.arrayContaining([
        'backup.sqlite',
        'data/artifacts/.staging',
        'data/artifacts/a/b',
        'data/state/bridge.sqlite',
        'data/state/bridge.sqlite-wal',
        'data/state/inputs',
        'data/state/lock',
        'data/state/search.sqlite',
        'secrets/tokens.toml',
        'shared/lock',
        'shared/lock.holder',
      ]),
    );
    expect(Object.keys(rights).filter((name) => name.endsWith('.json')).length).toBe(1);
    const others = Object.entries(rights).filter(
      ([, right]) => right !== 'folder 700' && right !== 'file 600',
    );
    expect(others).toEqual([]);
  });

  it('have the permissions of the umask for images if artifacts.permissions is umask', async () => {
    const cwd = await freshFolder();
    const mask = process.umask(0o027);
    try {
      const bridge = await startBridge({ cwd, set: ['artifacts.permissions=umask'] });
      await useEverything(bridge.address);
      await bridge.end();
    } finally {
      process.umask(mask);
    }

    const artifacts = new Set(Object.values(await rightsBelow(join(cwd, 'data/artifacts'))));
    const state = new Set(Object.values(await rightsBelow(join(cwd, 'data/state'))));

    expect([...artifacts].sort()).toEqual(['file 640', 'folder 750']);
    expect([...state].sort()).toEqual(['file 600', 'folder 700']);
  });

  it.each([
    'data/state/lock',
    'data/state/bridge.sqlite',
    'data/state/search.sqlite',
    'shared/lock',
    'shared/lock.holder',
    'data/artifacts',
    'data/artifacts/.staging',
  ])('are not created through a link in the place of %s', async (name) => {
    const cwd = await freshFolder();
    const victim = join(await freshFolder(), 'victim');
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await symlink(victim, join(cwd, name));
    const run = launchProgram(
      ['quickstart', '--set', 'server.bind=127.0.0.1:0', '--set', LOCK],
      cwd,
    );
    const hasStarted = () => run.output.stdout.includes('listens on');
    await expect.poll(() => hasStarted() || run.child.exitCode !== null).toBe(true);

    const address = /listens on (http:\S+)/.exec(run.output.stdout)?.[1];
    // It may refuse to start or reject the image. The test only checks that the file does not exist.
    if (address !== undefined) await useEverything(address).catch(() => undefined);
    run.child.kill();
    await run.ended;

    expect(existsSync(victim)).toBe(false);
  });

  it('do not change the target of a link in the place of shared/lock.holder', async () => {
    const cwd = await freshFolder();
    const victim = join(await freshFolder(), 'victim');
    await writeFile(victim, 'precious');
    await mkdir(join(cwd, 'shared'));
    await symlink(victim, join(cwd, 'shared/lock.holder'));

    const bridge = await startBridge({ cwd, set: [LOCK] });

    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect(JSON.parse(await readFile(join(cwd, 'shared/lock.holder'), 'utf8'))).toMatchObject({
      pid: bridge.child.pid,
    });
    await bridge.end();
  });
});
