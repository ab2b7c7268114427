import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createParser } from '../../../local-runtime/cli/command-line.ts';
import { COMMAND_SECTIONS } from '../../../local-runtime/cli/command-table/commands.ts';
import { COMPLETION_SCRIPTS, completionsOf } from '../../../local-runtime/cli/completions.ts';
import { runCommand, testIo } from '../../support/run-command.ts';
import { PROGRAM } from '../../support/start-bridge.ts';

const COMMANDS = COMMAND_SECTIONS.flatMap(([, commands]) => commands);
const parser = createParser(testIo(tmpdir()));

/** Returns the completions after these words, without their summaries. */
function offered(...words: string[]): readonly string[] {
  return completionsOf(parser, words)
    .split('\n')
    .flatMap((line) => line.split('\t', 1))
    .filter((word) => word !== '');
}

describe('completionsOf', () => {
  it.each([
    [['st'], ['state']],
    [['--v'], ['--version']],
    [['state', 'ba'], ['backup']],
    [['state', 'backup', '--c'], ['--config']],
    [
      ['artifacts', 'get', '-'],
      ['-o', '--output', '--force', '--url', '-h', '--help'],
    ],
    [
      ['schema', '--kind', ''],
      ['openapi', 'json'],
    ],
    [['generate', 'x', '--format', 'w'], ['webp']],
    [
      ['completions', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['presets', 'save', 'poster', 'po'], [':files']],
    [['presets', 'save', 'po'], []],
    [['state', 'check', '--config', 'po'], [':files']],
    [['state', 'backup', '--config', 'bridge.toml', ''], [':files']],
    [['jobs', 'list', '--search', 'po'], []],
    [['jobs', 'list', '--hidden', '--status', 'q'], ['queued']],
    [['nothing', 'x'], []],
    [['generate', 'state', ''], []],
  ])('returns for %j the words %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'returns the word and every option of %s',
    (name, { options = {} }) => {
      const words = name.split(' ');
      const toFlag = (key: string) => `--${key.replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`)}`;

      expect(offered(...words.slice(0, -1), '')).toContain(words.at(-1));
      expect(offered(...words, '--')).toEqual([...Object.keys(options).map(toFlag), '--help']);
    },
  );

  it('adds the summary of each word', () => {
    expect(completionsOf(parser, ['state', 'ba'])).toBe('backup\tcopy the database\n');
  });
});

describe('image-bridge completions', () => {
  it.each(['bash', 'zsh', 'fish'] as const)('prints the script for %s', async (shell) => {
    const { stdout } = await runCommand(['completions', shell], { cwd: tmpdir() });

    expect(stdout).toBe(COMPLETION_SCRIPTS[shell]);
    expect(stdout).toContain('image-bridge complete -- ');
  });
});

describe('the completion script of bash', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'image-bridge-completions-'));
    await writeFile(join(folder, 'poster one.json'), '{}');
    await writeFile(join(folder, 'bash'), COMPLETION_SCRIPTS.bash);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    [['state', 're'], ['restore']],
    [['presets', 'save', 'poster', 'po'], ['poster one.json']],
    [['jobs', 'list', '--search', ''], []],
  ])('offers for %j the words %j', (words, expected) => {
    const line = `image-bridge() { "${process.execPath}" "${PROGRAM}" "$@"; }; source ./bash
COMP_WORDS=(image-bridge "$@"); COMP_CWORD=$#; _image_bridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', ...words], {
      cwd: folder,
      encoding: 'utf8',
    });

    expect(stderr).toBe('');
    expect(stdout.split('\n').filter((word) => word !== '')).toEqual(expected);
  });
});
