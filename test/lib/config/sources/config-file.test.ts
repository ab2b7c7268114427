import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig } from '../../../../lib/config/load-config.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = temporaryFolder();

function write(name: string, content: string | Buffer): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

async function maxRunning(options: Partial<LoadOptions>): Promise<number | undefined> {
  const loaded = await loadConfig({ env: {}, cwd: folder(), ...options });
  return loaded.ok ? loaded.config.server.jobs.max_running : undefined;
}

describe('the configuration file', () => {
  it('is named by the flag, else by the variable, else is ./image-bridge.toml', async () => {
    write('image-bridge.toml', 'server.jobs.max_running = 1');
    write('variable.toml', 'server.jobs.max_running = 2');
    const configFile = write('flag.toml', 'server.jobs.max_running = 3');
    const env = { IMAGE_BRIDGE_CONFIG: 'variable.toml' };

    expect(await maxRunning({})).toBe(1);
    expect(await maxRunning({ env })).toBe(2);
    expect(await maxRunning({ env, configFile })).toBe(3);
  });

  it.each([
    ['XDG_CONFIG_HOME', (path: string) => ({ XDG_CONFIG_HOME: path, HOME: '/nowhere' })],
    ['HOME', (path: string) => ({ HOME: join(path, '..'), XDG_CONFIG_HOME: 'relative' })],
  ])('is in the folder named by %s if there is no other file', async (_, toEnv) => {
    const folderOfUser = join(folder(), '.config');
    mkdirSync(join(folderOfUser, 'image-bridge'), { recursive: true });
    write('.config/image-bridge/image-bridge.toml', 'server.jobs.max_running = 7');
    const env = toEnv(folderOfUser);
    const loaded = await loadConfig({ env, cwd: folder() });

    expect(await maxRunning({ env })).toBe(7);
    expect(await maxRunning({ env, ignoresUserFile: true })).not.toBe(7);
    expect(loaded.ok && loaded.origins).toContainEqual({
      field: 'server.jobs.max_running',
      source: 'file',
    });
    write('image-bridge.toml', 'server.jobs.max_running = 1');
    expect(await maxRunning({ env })).toBe(1);
  });

  it('may be a link to a file', async () => {
    write('real.toml', 'server.jobs.max_running = 2');
    symlinkSync('real.toml', join(folder(), 'image-bridge.toml'));

    expect(await maxRunning({})).toBe(2);
  });

  it('may be exactly 1 MiB long', async () => {
    write('image-bridge.toml', `server.jobs.max_running = 2\n#${' '.repeat(1_048_547)}`);

    expect(await maxRunning({})).toBe(2);
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['a missing file', () => undefined, /ENOENT/],
    ['a folder', (path) => mkdirSync(path), /regular file/],
    ['a named pipe', (path) => execFileSync('mkfifo', [path]), /regular file/],
    ['a device', (path) => symlinkSync('/dev/zero', path), /regular file/],
    ['a link that leads nowhere', (path) => symlinkSync('nowhere', path), /ENOENT/],
    ['2 MiB', (path) => writeFileSync(path, '#'.repeat(2_097_152)), /1 MiB/],
    ['another encoding', (path) => writeFileSync(path, Buffer.from('# \xfc', 'latin1')), /UTF-8/],
  ])(
    'is rejected under the flag or variable that named it if it is %s',
    async (_name, make, message) => {
      const path = join(folder(), 'given.toml');
      make(path);

      const byFlag = await loadConfig({ env: {}, cwd: folder(), configFile: 'given.toml' });
      const byVariable = await loadConfig({
        env: { IMAGE_BRIDGE_CONFIG: path },
        cwd: folder(),
      });

      const refusal = (field: string, source: string) => ({
        ok: false,
        errors: [{ field, source, message: expect.stringMatching(message) }],
      });
      expect(byFlag).toMatchObject(refusal('--config', 'given.toml'));
      expect(byVariable).toMatchObject(refusal('IMAGE_BRIDGE_CONFIG', path));
    },
  );

  it.each(['', 'a\0b'])('is rejected for the name %j', async (configFile) => {
    const loaded = await loadConfig({ env: {}, cwd: folder(), configFile });

    expect(loaded).toMatchObject({ ok: false, errors: [{ field: '--config' }] });
  });

  it.each<[string, (path: string) => void]>([
    ['a folder', (path) => mkdirSync(path)],
    ['a link that leads nowhere', (path) => symlinkSync('nowhere', path)],
  ])('is rejected even as the default file if it is %s', async (_name, make) => {
    make(join(folder(), 'image-bridge.toml'));

    const loaded = await loadConfig({ env: {}, cwd: folder() });

    expect(loaded).toMatchObject({
      ok: false,
      errors: [{ field: 'image-bridge.toml', source: 'image-bridge.toml' }],
    });
  });
});
