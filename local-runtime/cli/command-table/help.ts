import { styleText } from 'node:util';
import type { ArgumentRow, Command, CommandTable, OptionRow } from './command.ts';

/** A term and its meaning. */
type HelpLine = readonly [term: string, about: string];

/** The lines of help under one heading. */
interface HelpSection {
  readonly heading: string;
  readonly lines: readonly HelpLine[];
}

const WIDEST_LINE = 92;
/** The maximum width of a term; if a term is wider, the meanings are on separate lines. */
const WIDEST_TERM = 32;

export function withBoldHeadings(text: string): string {
  const bold = (heading: string) => styleText('bold', heading, { validateStream: false });
  return text.replace(/^[a-z][a-z ]*:/gm, bold);
}

/** Returns the help of one command, by section. */
export function sectionsOf(command: Command): readonly HelpSection[] {
  const { arguments: args, options, examples, exits } = command;
  const sections = [
    { heading: 'arguments', lines: Object.entries(args).map(([name, row]) => argument(name, row)) },
    { heading: 'options', lines: [...Object.entries(options).map(toLine), HELP_LINE] },
    {
      heading: 'examples',
      lines: examples.map(([line, about]) => [program(line), about] as const),
    },
    { heading: 'exit codes', lines: exitLines(exits) },
  ];
  return sections.filter(({ lines }) => lines.length > 0);

  function argument(name: string, row: Command['arguments'][string]): HelpLine {
    return [argumentTerm(name, row), row.about];
  }
}

const MORE = 'Use image-bridge COMMAND --help for the help of a command.';
const HELP_LINE: HelpLine = ['-h, --help', 'print this help'];

function toLine([name, row]: readonly [string, OptionRow]): HelpLine {
  const choices = row.value !== undefined && row.choices ? `: ${row.choices.join(', ')}` : '';
  return [optionTerm(name, row), `${row.about}${choices}`];
}

function exitLines(exits: Command['exits']): readonly HelpLine[] {
  const usage = 'usage error, or invalid configuration';
  return Object.entries({ 2: usage, ...exits }).map(([code, about]) => [code, about]);
}

/** Returns the output of `--help` for one command. */
export function commandHelp(command: Command): string {
  const { about, details } = command;
  return [
    usagesOf([command]),
    [sentence(about), ...details].join('\n'),
    ...sectionsOf(command).map(sectionText),
  ].join('\n\n');
}

/** Returns the output of `--help` for a group of commands. */
export function groupHelp(commands: readonly Command[]): string {
  const lines = commands.map(({ name, about }): HelpLine => [name, about]);
  return [usagesOf(commands), sectionText({ heading: 'commands', lines }), MORE].join('\n\n');
}

/** Returns the output of `--help` without a command: one line for each first word. */
export function programHelp(table: CommandTable): string {
  const options: readonly HelpLine[] = [['--version', 'print the version'], HELP_LINE];
  return [
    'usage: image-bridge COMMAND',
    sectionText({ heading: 'commands', lines: firstWords(table) }),
    sectionText({ heading: 'options', lines: options }),
    MORE,
  ].join('\n\n');
}

/** Returns the usages of commands, one for each line. */
export function usagesOf(commands: readonly Command[]): string {
  return `usage: ${commands.map((command) => wrap(usageOf(command))).join('\n       ')}`;
}

/** Wraps a usage before the option that would make its line too long. */
function wrap(usage: string): string {
  const parts = usage.split(/ (?=\[?-)/);
  return parts.reduce((text, part) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return line.length + part.length < WIDEST_LINE
      ? `${text} ${part}`
      : `${text}\n         ${part}`;
  });
}

/** Returns a summary as a sentence, with a capital letter and a full stop. */
export function sentence(about: string): string {
  return `${about[0]?.toUpperCase()}${about.slice(1)}.`;
}

/** Returns the first words of the command line, each with its summary. */
export function firstWords({ commands, groups }: CommandTable): readonly HelpLine[] {
  const words = [...new Set(commands.map(({ name }) => firstWord(name)))];
  return words.map((word) => {
    const about = commands.find(({ name }) => name === word)?.about ?? groups[word] ?? '';
    return [word, about];
  });
}

function sectionText({ heading, lines }: HelpSection): string {
  const widest = Math.max(...lines.map(([term]) => term.length));
  const rows = lines.map(([term, about]) =>
    widest > WIDEST_TERM ? `  ${term}\n      ${about}` : `  ${term.padEnd(widest)}  ${about}`,
  );
  return [`${heading}:`, ...rows].join('\n');
}

function program(line: string): string {
  return `image-bridge ${line}`;
}

/** Returns the first word of a command name. */
export function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}

/** Returns the long flag of an option: `--dry-run` for `dryRun`. */
export function toFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the flags of an option: `-o, --output FILE`. */
export function optionTerm(name: string, { short, value }: OptionRow): string {
  const flags = short === undefined ? toFlag(name) : `-${short}, ${toFlag(name)}`;
  return value === undefined ? flags : `${flags} ${value}`;
}

/** Returns `FILE`, or the accepted values. */
function argumentTerm(name: string, { choices, isOptional }: ArgumentRow): string {
  const term = choices?.join('|') ?? name.toUpperCase();
  return isOptional ? `[${term}]` : term;
}

/** Returns the usage: `image-bridge state backup FILE [--config FILE] [--set field=value]...` */
export function usageOf({ name, arguments: args, options }: Command): string {
  const terms = [
    ...Object.entries(args).map(([arg, row]) => argumentTerm(arg, row)),
    ...Object.entries(options).map(([option, row]) => optionUsage(option, row)),
  ];
  return ['image-bridge', name, ...terms].join(' ');
}

function optionUsage(name: string, row: OptionRow): string {
  const flag = row.short === undefined ? toFlag(name) : `-${row.short}`;
  if (row.value === undefined) return `[${flag}]`;
  const use = `${flag} ${row.choices?.join('|') ?? row.value}`;
  return `${row.isRequired ? use : `[${use}]`}${row.isRepeated ? '...' : ''}`;
}
