import { styleText } from 'node:util';
import type { Command, OptionRow } from './command.ts';
import { COMMANDS, GROUPS } from './commands.ts';
import { argumentTerm, optionTerm, usageOf } from './usage.ts';

/** A term and what it means. */
export type HelpLine = readonly [term: string, about: string];

/** Rows of help under one heading. */
export interface HelpSection {
  readonly heading: string;
  readonly lines: readonly HelpLine[];
}

/** Longer terms have a line of their own. */
const WIDEST_TERM = 32;

/** What `--help` prints: of all commands, of a group or of one command. */
export function helpText(commands: readonly Command[]): string {
  const [only, ...others] = commands;
  return only && others.length === 0 ? commandHelp(only) : listHelp(commands);
}

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

const HELP_LINE: HelpLine = ['-h, --help', 'prints this'];

function toLine([name, row]: readonly [string, OptionRow]): HelpLine {
  const choices = row.value !== undefined && row.choices ? `: ${row.choices.join(', ')}` : '';
  return [optionTerm(name, row), `${row.about}${choices}`];
}

function exitLines(exits: Command['exits']): readonly HelpLine[] {
  const usage = 'bad usage, or an invalid configuration';
  return Object.entries({ 2: usage, ...exits }).map(([code, about]) => [code, about]);
}

function commandHelp(command: Command): string {
  const { about, details } = command;
  return [
    `usage: ${usageOf(command)}`,
    [`${about[0]?.toUpperCase()}${about.slice(1)}.`, ...details].join('\n'),
    ...sectionsOf(command).map(sectionText),
  ].join('\n\n');
}

function listHelp(commands: readonly Command[]): string {
  if (commands.length < COMMANDS.length) {
    const usages = commands.map(usageOf);
    const lines = commands.map(({ name, about }): HelpLine => [name, about]);
    return [
      `usage: ${usages.join('\n       ')}`,
      sectionText({ heading: 'commands', lines }),
      'image-bridge COMMAND --help prints more of a command.',
    ].join('\n\n');
  }
  return [
    'usage: image-bridge COMMAND',
    sectionText({ heading: 'commands', lines: topics(commands) }),
    sectionText({
      heading: 'options',
      lines: [['--version', 'prints the version'], HELP_LINE],
    }),
    'image-bridge COMMAND --help prints more of a command.',
  ].join('\n\n');
}

/** One line for each first word. */
function topics(commands: readonly Command[]): readonly HelpLine[] {
  const words = new Set(commands.map(({ name }) => firstWord(name)));
  return [...words].map((word) => {
    const verbs = commands.filter(({ name }) => name.startsWith(`${word} `));
    if (verbs.length === 0) return [word, commands.find(({ name }) => name === word)?.about ?? ''];
    const seconds = verbs.map(({ name }) => name.slice(word.length + 1));
    return [`${word} ${seconds.join('|')}`, GROUPS[word] ?? ''];
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

export function firstWord(name: string): string {
  return name.split(' ', 1)[0] ?? name;
}
