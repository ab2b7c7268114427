import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createProcessDriver } from '../../../../local-runtime/gateway/handoff/process-driver.ts';

describe('createProcessDriver', () => {
  let folder: string;
  let directory: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'process-driver-'));
    directory = join(folder, 'made');
  });
  afterEach(async () => {
    await open().stop('blue', 0);
    await rm(folder, { recursive: true });
  });

  const node = (program: string) => `${process.execPath} -e '${program}'`;
  const open = (blue = node('setInterval(() => {}, 1000)')) =>
    createProcessDriver({ directory, commands: { blue, green: 'false' }, clock: systemClock });
  const pidFile = () => readFile(join(directory, 'blue.pid'), 'utf8');
  const log = () => readFile(join(directory, 'blue.log'), 'utf8').catch(() => '');

  it('starts a slot only once for repeated calls, and finds the running slot', async () => {
    await open().start('blue');
    const first = await pidFile();
    await open().start('blue');
    await open().restart('blue');

    expect(await pidFile()).toBe(first);
    expect(await open().isRunning('blue')).toBe(true);
    expect(await open().isRunning('green')).toBe(false);
  });

  it('creates files accessible only by their owner, and keeps the umask for the slot', async () => {
    const mask = process.umask(0o002);
    try {
      await open('sh -c "umask; exec sleep 60"').start('blue');
    } finally {
      process.umask(mask);
    }
    await expect.poll(log).toBe('0002\n');

    const rights = (await readdir(directory)).map(async (name) => {
      const { mode } = await stat(join(directory, name));
      return `${name} ${(mode & 0o777).toString(8)}`;
    });

    expect((await Promise.all(rights)).sort()).toEqual(['blue.log 600', 'blue.pid 600']);
  });

  it('does not write a log through a link', async () => {
    const victim = join(folder, 'victim');
    await mkdir(directory);
    await symlink(victim, join(directory, 'blue.log'));

    await open('sh -c "echo up; exec sleep 60"')
      .start('blue')
      .catch(() => undefined);

    await expect.poll(() => open().isRunning('blue')).toBe(false);
    expect(await readdir(folder)).toEqual(['made']);
  });

  it('starts a slot once if two drivers start it at the same time', async () => {
    const command = node('console.log("up"); setInterval(() => {}, 1000)');

    await Promise.allSettled([open(command).start('blue'), open(command).start('blue')]);

    await expect.poll(log).toBe('up\n');
    expect(await open().isRunning('blue')).toBe(true);
  });

  it('stops a slot in order and keeps its output', async () => {
    const program =
      'process.on("SIGTERM", () => { console.log("over"); process.exit(); }); console.log("up"); setInterval(() => {}, 1000)';
    await open(node(program)).start('blue');
    await expect.poll(log).toBe('up\n');

    await open().stop('blue', 60_000);
    await open().stop('blue', 60_000);

    await expect.poll(log).toBe('up\nover\n');
    expect(await open().isRunning('blue')).toBe(false);
  });

  it('kills a slot that does not end in time', async () => {
    const program =
      'process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)';
    await open(node(program)).start('blue');
    await expect.poll(log).toBe('up\n');

    await open().stop('blue', 50);

    expect(await open().isRunning('blue')).toBe(false);
  });

  it('keeps at most two log files of about the given size, each with whole lines', async () => {
    const lines =
      'for (let n = 1; n <= 400; n += 1) console.log("line " + n); setInterval(() => {}, 1000)';
    const maxLogBytes = 1000;
    await createProcessDriver({
      directory,
      commands: { blue: node(lines), green: 'false' },
      clock: systemClock,
      maxLogBytes,
    }).start('blue');
    await expect.poll(log).toMatch(/line 400\n$/);

    const older = await readFile(join(directory, 'blue.log.1'), 'utf8');
    const text = older + (await log());
    const first = Number(/^line (\d+)\n/.exec(text)?.[1]);

    expect((await readdir(directory)).sort()).toEqual(['blue.log', 'blue.log.1', 'blue.pid']);
    expect(text).toBe(
      Array.from({ length: 401 - first }, (_, n) => `line ${first + n}\n`).join(''),
    );
  });

  it('checks the configuration of a slot with its command, without starting the slot', async () => {
    const script = join(folder, 'image-bridge');
    await writeFile(script, '#!/bin/sh\necho "$@"\nexit $STATUS\n', { mode: 0o755 });
    const check = (status: number) => {
      process.env['STATUS'] = String(status);
      return open(`${script} serve --config "two  words.toml" --set a.b=serve`).check('blue');
    };
    const lines = ['config check --config two  words.toml --set a.b=serve'];

    expect(await check(0)).toEqual({ isValid: true, lines });
    expect(await check(2)).toEqual({ isValid: false, lines });
    expect(await open(script).check('blue')).toBeUndefined();
    expect(await open().isRunning('blue')).toBe(false);
  });

  it('starts an ended slot again', async () => {
    await open().start('blue');
    await open().stop('blue', 60_000);

    await open().start('blue');

    expect(await open().isRunning('blue')).toBe(true);
  });

  it('detects the end of a slot', async () => {
    await open(node('process.stdin.resume(); setTimeout(() => {}, 50)')).start('blue');

    await expect.poll(() => open().isRunning('blue')).toBe(false);
  });

  it.each(['exit 3', 'no-such-program'])('fails if the command is %s', async (command) => {
    const starting = open(command).start('blue');

    await starting.catch((error) => expect(String(error)).toContain('blue ended immediately'));
    await expect.poll(() => open().isRunning('blue')).toBe(false);
  });

  it('does not mistake another process with the same id for the slot', async () => {
    await open().start('blue');
    const [pid] = (await pidFile()).split(' ');
    await open().stop('blue', 60_000);
    await writeFile(join(directory, 'blue.pid'), `${process.pid} 1\n`);

    expect(await open().isRunning('blue')).toBe(false);
    await open().stop('blue', 0);
    await open().start('blue');

    expect((await pidFile()).split(' ')[0]).not.toBe(pid);
  });
});
