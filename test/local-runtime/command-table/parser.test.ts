import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { COMMAND_TABLE } from '../../../local-runtime/command-table/commands.ts';
import { parseLine } from '../../../local-runtime/command-table/parser.ts';
import { firstWord, usageOf } from '../../../local-runtime/command-table/usage.ts';
import { runCommand, testIo } from '../../support/run-command.ts';

const cwd = tmpdir();
const { commands: COMMANDS, groups: GROUPS } = COMMAND_TABLE;

function run(...argv: string[]) {
  return runCommand(argv, { cwd });
}

describe('the table of commands', () => {
  it.each(COMMANDS.map((command) => [command.name, command] as const))(
    'describes %s in full, in lines of at most 100 characters',
    async (name, { examples, exits }) => {
      const help = await run(...name.split(' '), '--help');

      expect(help).toMatchObject({ exitCode: 0, stderr: '' });
      expect(help.stdout).toMatch(new RegExp(`^usage: image-bridge ${name}`));
      expect(help.stdout).toContain('examples:');
      expect(examples.length).toBeGreaterThan(0);
      expect(exits[0]).toBeDefined();
      // An example stays in one line, so that it can be copied.
      const lines = help.stdout.split('\n').filter((line) => !line.startsWith('  image-bridge '));
      expect(lines.filter((line) => line.length > 100)).toEqual([]);
    },
  );

  it.each(COMMANDS.flatMap(({ examples }) => examples.map(([line]) => [line])))(
    'has an example that can be parsed: %s',
    (line) => {
      const [command = ''] = line.split(' >');
      const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, quoted, word]) => quoted ?? word,
      );
      const stderr = vi.fn();
      const io = { ...testIo(cwd), stdout: stderr, stderr };

      const parsed = parseLine(words.map(String), io, '1.0.0');

      expect(stderr).not.toHaveBeenCalled();
      expect(parsed).toHaveProperty('command');
    },
  );

  it('has a name of its own for each command, and a sentence for each group', () => {
    const names = COMMANDS.map(({ name }) => name);
    const groups = names.filter((name) => name.includes(' ')).map(firstWord);

    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(GROUPS).sort()).toEqual([...new Set(groups)].sort());
  });
});

describe('the command line', () => {
  it('lists every command without arguments and with --help', async () => {
    const help = await run('--help');

    expect(await run()).toEqual(help);
    expect(help.exitCode).toBe(0);
    for (const { name } of COMMANDS) expect(help.stdout).toContain(`\n  ${firstWord(name)}`);
  });

  it.each([
    [['serve', '--speed'], "unknown option '--speed'"],
    [['config', 'show', '--josn'], '(Did you mean --json?)'],
    [['sta', 'check'], '(Did you mean state?)'],
    [['state', 'backup'], "missing required argument 'file'"],
    [['state', 'backup', ''], 'It is empty.'],
    [['state', 'backup', 'a', 'b'], 'too many arguments'],
    [['state', 'check', '--config'], "option '--config <FILE>' argument missing"],
    [['config', 'check', '--config', '--json'], 'It looks like an option.'],
    [['config', 'check', '--json=true'], "unknown option '--json=true'"],
    [['schema'], "required option '--kind <KIND>' not specified"],
    [['schema', '--kind', 'xml'], 'Allowed choices are openapi, json.'],
    [['schema', '--kind', 'json', '--check', 'a', '--write', 'b'], 'cannot be used with'],
  ])('refuses %j with the usage and the reason', async (argv, reason) => {
    const ended = await run(...argv);

    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^usage: image-bridge /);
    expect(ended.stderr).toContain(reason);
  });

  it('shows the usage of the command that is meant', async () => {
    const backup = COMMANDS.find(({ name }) => name === 'state backup');

    const { stderr } = await run('state', 'backup');

    expect(stderr.split('\n')[0]).toBe(`usage: ${backup && usageOf(backup)}`);
  });

  it('sends colours to a terminal only, and not where NO_COLOR is set', async () => {
    const isTerminal = { stdin: true, stdout: true, stderr: true };

    const plain = await run('--help');
    const colored = await runCommand(['--help'], { cwd, isTerminal });
    const refused = await runCommand(['--help'], { cwd, isTerminal, env: { NO_COLOR: '1' } });

    expect(plain.stdout).not.toContain('\u001b');
    expect(colored.stdout).toContain('\u001b[1mcommands:');
    expect(refused.stdout).toBe(plain.stdout);
  });
});
