import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandIo } from '../../../../local-runtime/cli/command-io.ts';
import { runCommand } from '../../../support/run-command.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'image-bridge-setup-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const CONFIG = '.config/image-bridge/image-bridge.toml';
const TERMINAL = { stdin: true, stdout: false, stderr: false };

function setup(flags: readonly string[] = [], io: Partial<CommandIo> = {}) {
  return runCommand(['setup', ...flags], { cwd: home, env: { HOME: home }, ...io });
}

/** Writes a login of the agent with a token that does not expire. */
async function logIn(): Promise<void> {
  const claims = Buffer.from('{}').toString('base64url');
  const tokens = { access_token: `${claims}.${claims}.sig`, refresh_token: 'refresh' };
  await mkdir(join(home, '.codex'));
  await writeFile(join(home, '.codex/auth.json'), JSON.stringify({ tokens }), { mode: 0o600 });
}

/** Returns the input of a terminal at which a user gives these answers in order. */
function replies(...lines: string[]): Pick<CommandIo, 'ask' | 'isTerminal'> {
  return { ask: async () => lines.shift() ?? '', isTerminal: TERMINAL };
}

describe('setup', () => {
  it('shows every change with --dry-run and makes none', async () => {
    const result = await setup(['--dry-run']);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toContain(`write the file ${home}/${CONFIG}`);
    expect(result.stdout).toContain('    default_provider = "sandbox"\n');
    expect(result.stdout).toContain(`create the folder ${home}/.local/state/image-bridge`);
    expect(await readdir(home)).toEqual([]);
  });

  it('writes with --yes a valid configuration and folders with private permissions', async () => {
    const result = await setup(['--yes']);

    expect(result.exitCode).toBe(0);
    expect((await stat(join(home, CONFIG))).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, '.local/state/image-bridge'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(home, '.local/share/image-bridge/artifacts'))).toEqual([]);
    const check = await runCommand(['config', 'check', '--config', CONFIG], { cwd: home });
    expect(check).toMatchObject({ exitCode: 0, stdout: 'The configuration is valid.\n' });
  });

  it('finds nothing to change in a second run', async () => {
    await setup(['--yes']);
    const before = await readFile(join(home, CONFIG));

    const result = await setup(['--yes']);

    expect(result).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Nothing to change.'),
    });
    expect(await readFile(join(home, CONFIG))).toEqual(before);
  });

  it('keeps an existing configuration and creates its folders', async () => {
    await mkdir(join(home, '.config/image-bridge'), { recursive: true });
    const own = `[state]\ndirectory = "${home}/own-state"\n`;
    await writeFile(join(home, CONFIG), own);

    const result = await setup(['--yes']);

    expect(result.exitCode).toBe(0);
    expect(await readFile(join(home, CONFIG), 'utf8')).toBe(own);
    expect(await readdir(home)).toContain('own-state');
  });

  it('reports the errors of an existing configuration', async () => {
    await mkdir(join(home, '.config/image-bridge'), { recursive: true });
    await writeFile(join(home, CONFIG), 'speed = 9\n');

    const result = await setup(['--yes']);

    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('speed') });
  });

  it('does not write through a broken link', async () => {
    await mkdir(join(home, '.config/image-bridge'), { recursive: true });
    await symlink(join(home, 'nowhere'), join(home, CONFIG));

    const result = await setup(['--yes']);

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: `image-bridge: ${home}/${CONFIG} already exists, or is a broken link\n`,
    });
    expect(await readdir(home)).toEqual(['.config']);
  });

  it('proposes the provider of an existing login', async () => {
    await logIn();

    const result = await setup(['--dry-run']);

    expect(result.stdout).toContain(`The agent's login was found in ${home}/.codex.`);
    expect(result.stdout).toContain('default_provider = "agent-responses"');
  });

  it('asks at a terminal and applies the answers', async () => {
    await logIn();

    const refused = await setup([], replies('n', ''));
    const isUntouched = !(await readdir(home)).includes('.config');
    const accepted = await setup([], replies('n', 'y'));

    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^Nothing was/) });
    expect(isUntouched).toBe(true);
    expect(accepted.exitCode).toBe(0);
    expect(await readFile(join(home, CONFIG), 'utf8')).toContain('default_provider = "sandbox"');
  });

  it.each([
    ['OPENAI_API_KEY', 'openai', 'openai_images'],
    ['GEMINI_API_KEY', 'gemini', 'gemini'],
    ['OPENROUTER_API_KEY', 'openrouter', 'openai_images'],
    ['XAI_API_KEY', 'xai', 'openai_images'],
    ['TOGETHER_API_KEY', 'together', 'openai_images'],
    ['BFL_API_KEY', 'bfl', 'task'],
    ['FAL_KEY', 'fal', 'task'],
    ['REPLICATE_API_TOKEN', 'replicate', 'task'],
  ])(
    'proposes the provider of the key in %s, and never shows the key',
    async (variable, name, kind) => {
      const env = { HOME: home, [variable]: 'hunter2' };

      const result = await setup(['--yes'], { env });

      const config = await readFile(join(home, CONFIG), 'utf8');
      expect(config).toContain(`default_provider = "${name}"\n`);
      expect(config).toContain(`[providers.${kind}.${name}]\n`);
      expect(result.stdout + config).not.toContain('hunter2');
      const check = await runCommand(['config', 'check', '--config', CONFIG], { cwd: home });
      expect(check).toMatchObject({ exitCode: 0, stdout: 'The configuration is valid.\n' });
    },
  );

  it('asks about each available account until one is accepted', async () => {
    await logIn();
    const env = { HOME: home, OPENAI_API_KEY: 'a', GEMINI_API_KEY: 'b' };

    const gemini = await setup(['--dry-run'], { env: { HOME: home, GEMINI_API_KEY: 'b' } });
    await setup([], { ...replies('n', 'n', '', 'y'), env });

    expect(gemini.stdout).toContain('default_provider = "agent-responses"');
    expect(await readFile(join(home, CONFIG), 'utf8')).toContain('default_provider = "gemini"');
  });

  it('changes nothing without a terminal and without --yes', async () => {
    const result = await setup();

    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--yes') });
    expect(await readdir(home)).toEqual([]);
  });

  it('uses the XDG variables, except for relative paths', async () => {
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'c'), XDG_STATE_HOME: 'relative' };

    const { stdout } = await setup(['--dry-run'], { env });

    expect(stdout).toContain(`write the file ${home}/c/image-bridge/image-bridge.toml`);
    expect(stdout).toContain(`create the folder ${home}/.local/state/image-bridge`);
  });

  it('reports a path that cannot be written', async () => {
    await writeFile(join(home, '.config'), 'a letter');

    const result = await setup(['--yes']);

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: `image-bridge: ${home}/${CONFIG} cannot be written: a part of the path is a file\n`,
    });
  });
});

describe('the configuration written by setup', () => {
  it('is read by the other commands without a variable', async () => {
    const { stdout } = await setup(['--yes']);

    const shown = await runCommand(['config', 'show'], { cwd: '/', env: { HOME: home } });

    expect(stdout).not.toContain('IMAGE_BRIDGE_CONFIG');
    expect(shown.stdout).toContain(`directory = "${home}/.local/state/image-bridge"`);
  });

  it('must be named in a variable if another file takes precedence', async () => {
    const { stdout } = await setup(['--yes'], {
      env: { HOME: home, IMAGE_BRIDGE_CONFIG: 'other.toml' },
    });

    expect(stdout).toContain(`export IMAGE_BRIDGE_CONFIG=${home}/${CONFIG}`);
  });
});
