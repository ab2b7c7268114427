import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import * as parameters from '../../../lib/contract/request/parameters.ts';
import * as job from '../../../lib/contract/resources/job.ts';
import * as jobFilter from '../../../lib/contract/resources/job-filter.ts';
import { parseLine } from '../../../local-runtime/cli/command-line.ts';
import { COMMAND_SECTIONS, GROUPS } from '../../../local-runtime/cli/command-table/commands.ts';
import * as options from '../../../local-runtime/cli/command-table/options.ts';
import * as coordination from '../../../local-runtime/gateway/coordination.ts';
import { runCommand, testIo } from '../../support/run-command.ts';

const cwd = tmpdir();
const COMMANDS = COMMAND_SECTIONS.flatMap(([, commands]) => commands);

function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

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
      // Examples are never wrapped, so that they can be copied.
      const lines = help.stdout.split('\n').filter((line) => !line.startsWith('  image-bridge '));
      expect(lines.filter((line) => line.length > 100)).toEqual([]);
    },
  );

  it.each(COMMANDS.flatMap(({ examples }) => examples.map(([line]) => [line])))(
    'has an example that can be parsed: %s',
    (line) => {
      const [command = ''] = line.split(' >');
      const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
        ([, single, double, word]) => single ?? double ?? word,
      );
      const stderr = vi.fn();
      const io = { ...testIo(cwd), stdout: stderr, stderr };

      const parsed = parseLine(words.map(String), io);

      expect(stderr).not.toHaveBeenCalled();
      expect(parsed).toHaveProperty('command');
    },
  );

  it('has unique command names and a summary for each group', () => {
    const names = COMMANDS.map(({ name }) => name);
    const groups = names.filter((name) => name.includes(' ')).map(firstWord);

    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(GROUPS).sort()).toEqual([...new Set(groups)].sort());
  });
});

describe('the choices of options', () => {
  it('are the lists of the contract and of the gateway', () => {
    const { JOB_ENDS, JOB_ORDERS, JOB_STATUSES } = job;
    const { OPERATIONS } = jobFilter;
    const { OUTPUT_FORMATS } = parameters;
    const { SLOTS } = coordination;
    const lists = Object.entries(options).filter(([, value]) => Array.isArray(value));

    expect(Object.fromEntries(lists)).toEqual({
      ...{ JOB_ENDS, JOB_ORDERS, JOB_STATUSES, OPERATIONS, OUTPUT_FORMATS, SLOTS },
    });
  });
});

describe('parseDate', () => {
  it('reads a date in local time, and a time with its zone', () => {
    const midnight = new Date(2026, 10, 28).getTime() / 1000;

    expect(options.parseDate('2026-11-28')).toBe(midnight);
    expect(options.parseDate('2026-11-28T18:30:00Z')).toBe(1_795_890_600);
  });

  it.each(['yesterday', '2026-13-01', '28.11.2026', '1795890600', ''])('refuses %j', (text) => {
    expect(() => options.parseDate(text)).toThrow('The value must be a date');
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
    [
      ['help', 'jobs'],
      ['jobs', '--help'],
    ],
    [
      ['help', 'doctor'],
      ['doctor', '--help'],
    ],
    [['help'], ['--help']],
  ])('prints for %j the help of %j', async (argv, same) => {
    expect(await run(...argv)).toEqual(await run(...same));
  });

  it('prints the help of a group on standard error if its command is missing', async () => {
    const { stdout } = await run('jobs', '--help');

    expect(await run('jobs')).toEqual({ exitCode: 2, stdout: '', stderr: stdout });
  });

  it.each([
    [['serve', '--speed'], "unknown option '--speed'"],
    [['config', 'show', '--josn'], '(Did you mean --json?)'],
    [['sta', 'check'], '(Did you mean state?)'],
    [['state', 'backup'], "missing required argument 'file'"],
    [['state', 'backup', ''], 'The value is empty.'],
    [['state', 'backup', 'a', 'b'], 'too many arguments'],
    [['state', 'check', '--config'], "option '--config <file>' argument missing"],
    [['config', 'check', '--config', '--json'], 'The value looks like an option.'],
    [['config', 'check', '--json=true'], "unknown option '--json=true'"],
    [['schema'], "required option '--kind <kind>' not specified"],
    [['schema', '--kind', 'xml'], 'Allowed choices are openapi, json.'],
    [['schema', '--kind', 'json', '--check', 'a', '--write', 'b'], 'cannot be used with'],
  ])('rejects %j with the usage and the reason', async (argv, reason) => {
    const ended = await run(...argv);

    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^usage: image-bridge /);
    expect(ended.stderr).toContain(reason);
  });

  it('shows the usage of the named command in an error', async () => {
    const { stderr } = await run('artifacts', 'get');

    const usage = 'usage: image-bridge artifacts get --output <file> [options] <id>';
    expect(stderr.split('\n')[0]).toBe(usage);
  });

  it('sends colours only to a terminal, and not if NO_COLOR is set', async () => {
    const isTerminal = { stdin: true, stdout: true, stderr: true };

    const plain = await run('--help');
    const colored = await runCommand(['--help'], { cwd, isTerminal });
    const refused = await runCommand(['--help'], { cwd, isTerminal, env: { NO_COLOR: '1' } });

    expect(plain.stdout).not.toContain('\u001b');
    expect(colored.stdout).toContain('\u001b[1mmake images:');
    expect(refused.stdout).toBe(plain.stdout);
  });
});
