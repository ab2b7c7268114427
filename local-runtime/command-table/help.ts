import { styleText } from 'node:util';
import type { Command, CommandTable, OptionRow } from './command.ts';
import { argumentTerm, firstWord, optionTerm, usageOf } from './usage.ts';

/** A term and what it means. */
export type HelpLine = readonly [term: string, about: string];

/** Rows of help under one heading. */
export interface HelpSection {
  readonly heading: string;
  readonly lines: readonly HelpLine[];
}

const WIDEST_LINE = 92;
/** Longer terms have a line of their own. */
const WIDEST_TERM = 32;

export function withBoldHeadings(text: string): string {
  const bold = (heading: string) => styleText('bold', heading, { validateStream: false });
  return text.replace(/^[a-z][a-z ]*:/gm, bold);
}

/** The lines of help that describe one command. */
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

const MORE = 'image-bridge COMMAND --help prints more of a command.';
const HELP_LINE: HelpLine = ['-h, --help', 'prints this'];

function toLine([name, row]: readonly [string, OptionRow]): HelpLine {
  const choices = row.value !== undefined && row.choices ? `: ${row.choices.join(', ')}` : '';
  return [optionTerm(name, row), `${row.about}${choices}`];
}

function exitLines(exits: Command['exits']): readonly HelpLine[] {
  const usage = 'bad usage, or an invalid configuration';
  return Object.entries({ 2: usage, ...exits }).map(([code, about]) => [code, about]);
}

/** What `--help` prints of one command. */
export function commandHelp(command: Command): string {
  const { about, details } = command;
  return [
    usagesOf([command]),
    [sentence(about), ...details].join('\n'),
    ...sectionsOf(command).map(sectionText),
  ].join('\n\n');
}

/** What `--help` prints of the commands with the same first word. */
export function groupHelp(commands: readonly Command[]): string {
  const lines = commands.map(({ name, about }): HelpLine => [name, about]);
  return [usagesOf(commands), sectionText({ heading: 'commands', lines }), MORE].join('\n\n');
}

/** What `--help` prints without a command: one line for each first word. */
export function programHelp(table: CommandTable): string {
  const options: readonly HelpLine[] = [['--version', 'prints the version'], HELP_LINE];
  return [
    'usage: image-bridge COMMAND',
    sectionText({ heading: 'commands', lines: firstWords(table) }),
    sectionText({ heading: 'options', lines: options }),
    MORE,
  ].join('\n\n');
}

/** One usage a line. */
export function usagesOf(commands: readonly Command[]): string {
  return `usage: ${commands.map((command) => wrap(usageOf(command))).join('\n       ')}`;
}

/** Breaks before an option, where the line would be too long. */
function wrap(usage: string): string {
  const parts = usage.split(/ (?=\[?-)/);
  return parts.reduce((text, part) => {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    return line.length + part.length < WIDEST_LINE
      ? `${text} ${part}`
      : `${text}\n         ${part}`;
  });
}

/** A part of a sentence as a whole one. */
export function sentence(about: string): string {
  return `${about[0]?.toUpperCase()}${about.slice(1)}.`;
}

/** The words that may follow the program's name. */
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
