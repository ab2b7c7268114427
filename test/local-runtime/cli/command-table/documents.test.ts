import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_TABLE } from '../../../../local-runtime/cli/command-table/commands.ts';
import { toFlag } from '../../../../local-runtime/cli/command-table/help.ts';
import { manPage } from '../../../../local-runtime/cli/command-table/man-page.ts';
import { runCommand } from '../../../support/run-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-bridge-completions-'));
  await writeFile(join(folder, 'poster.json'), '{}');
  await writeFile(join(folder, 'bash'), await completions('bash'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { commands } = COMMAND_TABLE;

async function completions(shell: string): Promise<string> {
  return (await runCommand(['completions', shell], { cwd: tmpdir() })).stdout;
}

/** Returns the completions of bash after these words. */
function offered(...words: string[]): readonly string[] {
  const line = `source ./bash; COMP_WORDS=(image-bridge "$@"); COMP_CWORD=$#; _image_bridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', line, 'bash', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('the completions of bash', () => {
  it.each([
    [['st'], ['state']],
    [['--v'], ['--version']],
    [['state', 'ba'], ['backup']],
    [['state', 'backup', '--c'], ['--config']],
    [
      ['schema', '--kind', ''],
      ['openapi', 'json'],
    ],
    [['generate', 'x', '--format', 'w'], ['webp']],
    [
      ['completions', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['presets', 'save', 'poster', 'po'], ['poster.json']],
    [['state', 'check', '--config', 'po'], ['poster.json']],
    [['jobs', 'list', '--search', 'po'], []],
    [['nothing', 'x'], []],
  ])('offer after %j the words %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it('include every flag of every command', () => {
    for (const { name, options } of commands) {
      const flags = offered(...name.split(' '), '--');
      expect([...flags].sort()).toEqual([...Object.keys(options).map(toFlag), '--help'].sort());
    }
  });
});

describe('the completions of zsh and fish', () => {
  it.each(commands.map(({ name, options }) => [name, Object.keys(options)] as const))(
    'know %s and its options',
    async (name, options) => {
      const [zsh, fish] = await Promise.all([completions('zsh'), completions('fish')]);
      const words = name.split(' ');

      const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
      const ofZsh = zsh.split('\n').filter((line) => line.trim().startsWith(`${words.at(-1)}) `));
      for (const option of options) {
        const flag = toFlag(option);
        expect(fish).toContain(`complete -c image-bridge -n '${seen}' -l ${flag.slice(2)}`);
        expect(ofZsh.some((line) => line.includes(`'${flag}[`))).toBe(true);
      }
    },
  );
});

describe('manPage', () => {
  const page = manPage(COMMAND_TABLE, '1.2.3');

  it('describes every command with its options', () => {
    const escaped = (text: string) => text.replaceAll('-', '\\-');
    for (const { name, options } of commands) {
      const [, section = ''] = page.split(`\n.SS ${escaped(name)}\n`);
      for (const option of Object.keys(options)) {
        expect(section.split('\n.SS ')[0]).toContain(escaped(toFlag(option)));
      }
    }
  });

  it('has no line that roff would treat as an unknown request', () => {
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));

    const known = /^\.(TH|SH|SS|TP|PP|B|I|nf|fi)\b/;
    expect(requests.filter((line) => !known.test(line))).toEqual([]);
    expect(page).toContain('Image Bridge 1.2.3');
  });
});
