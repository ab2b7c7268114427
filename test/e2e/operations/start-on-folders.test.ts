import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import {
  canBind,
  cleanUp,
  freshFolder,
  runProgram,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

afterAll(cleanUp);

/** Returns every file below a folder with its content and times, to detect any change. */
async function snapshot(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs } = await stat(path);
      const content = entry.isFile() ? (await readFile(path)).toString('base64') : 'folder';
      return `${path} ${mtimeMs} ${content}`;
    }),
  );
}

/** `T` means a stopped process (proc(5), `stat`). */
async function stateOf({ child }: StartedBridge): Promise<string | undefined> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0];
}

const serve = (
  cwd: string,
  set: readonly string[] = [],
  options: Parameters<typeof runProgram>[3] = {},
) => {
  const settings = ['default_provider=sandbox', 'providers.sandbox.enabled=true', ...set];
  const argv = ['server.bind=127.0.0.1:0', ...settings].flatMap((one) => ['--set', one]);
  return runProgram(['serve', ...argv], cwd, {}, options);
};

describe('image-bridge serve with a state and artifacts in folders', () => {
  it('rejects a database of a newer version, and changes no file', async () => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, 'data/state'), { recursive: true });
    const database = new Sqlite(join(cwd, 'data/state/bridge.sqlite'));
    database.pragma('user_version = 9999');
    database.close();
    const before = await snapshot(cwd);

    const ended = await serve(cwd);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^image-bridge: state\.directory: [^\n]+\n$/);
    expect(await snapshot(cwd)).toEqual(before);
  });

  it('rejects a file that is not a database, and changes no file', async () => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, 'data/state'), { recursive: true });
    await writeFile(
      join(cwd, 'data/state/bridge.sqlite'),
      'this is a letter, not a database, and long enough to be one',
    );
    const before = await snapshot(cwd);

    const ended = await serve(cwd);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^image-bridge: state\.directory: [^\n]+\n$/);
    expect(await snapshot(cwd)).toEqual(before);
  });

  it.each(['data/artifacts', 'data'])('rejects the file %s as artifact root', async (path) => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, path, '..'), { recursive: true });
    await writeFile(join(cwd, path), 'a letter');
    const before = await snapshot(cwd);

    const ended = await serve(cwd, ['artifacts.root=data/artifacts', 'state.directory=state']);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^image-bridge: artifacts\.root: [^\n]+\n$/);
    expect(await snapshot(cwd)).toEqual(before);
  });

  it.runIf(canBind)(
    'rejects an artifact root that is not writable, and creates nothing',
    async () => {
      const cwd = await freshFolder();
      await mkdir(join(cwd, 'images'), { mode: 0o555 });
      const before = await snapshot(cwd);

      const ended = await serve(cwd, ['artifacts.root=images'], { bound: true });

      expect(ended.code).toBe(1);
      expect(ended.stderr).toBe(
        `image-bridge: artifacts.root: ${cwd}/images cannot be written (EACCES)\n`,
      );
      expect(await snapshot(cwd)).toEqual(before);
    },
  );

  it.runIf(canBind)('rejects an artifact root whose staging folder is not writable', async () => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, 'images/.staging'), { recursive: true });
    await chmod(join(cwd, 'images/.staging'), 0o555);

    const ended = await serve(cwd, ['artifacts.root=images'], { bound: true });

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /artifacts\.root: \S+images: access to the artifact folder is denied/,
    );
  });

  it('reports a database that is damaged in the middle, with a suggestion', async () => {
    const first = await startBridge();
    const file = join(first.cwd, 'data/state/bridge.sqlite');
    await first.end();
    const bytes = await readFile(file);
    // All pages except the first, which contains the header and the list of tables.
    await writeFile(file, bytes.fill(0xa5, 4096));

    const ended = await serve(first.cwd);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      `image-bridge: state.directory: the database ${file} is damaged or belongs to another program; restore a backup`,
    );
  });

  it('rejects an empty database beside artifacts, and changes no file', async () => {
    const cwd = await freshFolder();
    await mkdir(join(cwd, 'data/state'), { recursive: true });
    await mkdir(join(cwd, 'data/artifacts/.staging'), { recursive: true });
    await writeFile(join(cwd, 'data/state/bridge.sqlite'), '');
    const before = await snapshot(cwd);

    const ended = await serve(cwd);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^image-bridge: state\.directory: the database \S+ is empty, but/);
    expect(await snapshot(cwd)).toEqual(before);
  });

  it('rejects a state directory in use, and accepts it after the other bridge has ended', async () => {
    const first = await startBridge();
    // The other bridge keeps its lock and writes nothing more.
    first.child.kill('SIGSTOP');
    await expect.poll(() => stateOf(first)).toBe('T');
    const before = await snapshot(first.cwd);

    const ended = await serve(first.cwd);

    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(
      `image-bridge: state.directory: ${first.cwd}/data/state is in use by process ${first.child.pid}\n`,
    );
    expect(await snapshot(first.cwd)).toEqual(before);
    await first.end('SIGKILL');
    const second = await startBridge({ cwd: first.cwd });
    expect((await fetch(`${second.address}/health/ready`)).status).toBe(200);
  });
});
