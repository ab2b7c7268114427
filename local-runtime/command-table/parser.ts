import {
  Argument,
  CommanderError,
  InvalidArgumentError,
  Option,
  Command as Parser,
} from 'commander';
import type { CommandIo } from '../command-io.ts';
import { isColored } from '../terminal/terminal.ts';
import type { ArgumentRow, Command, OptionRow } from './command.ts';
import { COMMAND_TABLE } from './commands.ts';
import { commandHelp, groupHelp, programHelp, usagesOf, withBoldHeadings } from './help.ts';
import { firstWord, optionTerm, toFlag } from './usage.ts';
import type { ValueForm } from './value-form.ts';

/** What a command line asks for. */
export type ParsedLine =
  | { readonly command: Command; readonly args: Values; readonly options: Values }
  /** What was printed is all, and this is the exit code. */
  | { readonly exitCode: number };

type Values = Readonly<Record<string, unknown>>;

/** Parses a command line. Prints help where that is asked for, and the usage where the line is not a valid one. */
export function parseLine(argv: readonly string[], io: CommandIo, version: string): ParsedLine {
  const { commands } = COMMAND_TABLE;
  let parsed: ParsedLine | undefined;
  const all = () => programHelp(COMMAND_TABLE);
  const root = parserOf('image-bridge', { help: all, usage: all }, io);
  root.version(version, '--version', 'the version');
  const groups = new Map<string, Parser>();
  for (const command of commands) {
    const word = firstWord(command.name);
    const verb = command.name.slice(word.length + 1);
    const texts = { help: () => commandHelp(command), usage: () => usagesOf([command]) };
    const parser = parserOf(verb || word, texts, io);
    const parent = verb === '' ? root : (groups.get(word) ?? addGroup(word));
    parent.addCommand(parser);
    // Of the others the name alone is needed, for suggestions.
    if (word !== argv[0]) continue;
    fill(parser, command, (use) => {
      parsed = use;
    });
  }
  try {
    root.parse([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  return parsed ?? { exitCode: 2 };

  function addGroup(word: string): Parser {
    const verbs = commands.filter(({ name }) => name.startsWith(`${word} `));
    const texts = { help: () => groupHelp(verbs), usage: () => usagesOf(verbs) };
    const group = parserOf(word, texts, io);
    groups.set(word, group);
    root.addCommand(group);
    return group;
  }
}

interface Texts {
  readonly help: () => string;
  /** What is printed before what is wrong with a command line. */
  readonly usage: () => string;
}

/** A parser that throws instead of ending the process, and prints our texts. */
function parserOf(name: string, { help, usage }: Texts, io: CommandIo): Parser {
  return new Parser(name)
    .exitOverride()
    .helpOption('-h, --help')
    .configureHelp({ formatHelp: () => `${withBoldHeadings(help())}\n` })
    .configureOutput({
      // Colours are removed where these are false.
      getOutHasColors: () => isColored('stdout', io),
      getErrHasColors: () => isColored('stderr', io),
      writeOut: io.stdout,
      writeErr: io.stderr,
      outputError(text) {
        io.stderr(`${usage()}\nimage-bridge: ${text.replace(/^error: /, '')}`);
      },
    });
}

function fill(parser: Parser, command: Command, found: (use: ParsedLine) => void): void {
  const names = Object.keys(command.arguments);
  for (const [name, row] of Object.entries(command.arguments)) {
    parser.addArgument(toArgument(name, row));
  }
  for (const [name, row] of Object.entries(command.options)) {
    parser.addOption(toOption(name, row));
  }
  parser.allowExcessArguments(false).action(() => {
    const args = Object.fromEntries(names.map((name, at) => [name, parser.processedArgs[at]]));
    found({ command, args, options: parser.opts() });
  });
}

function toArgument(name: string, { about, choices, isOptional }: ArgumentRow): Argument {
  const argument = new Argument(isOptional ? `[${name}]` : `<${name}>`, about);
  if (choices) return argument.choices(choices);
  return argument.argParser((text: string) => {
    if (text === '') throw new InvalidArgumentError('It is empty.');
    return text;
  });
}

function toOption(name: string, row: OptionRow): Option {
  const term =
    row.value === undefined ? optionTerm(name, row) : flagsWithValue(name, row.value, row.short);
  const option = new Option(term, row.about);
  // `--no-wait` is a switch like any other: not the opposite of `--wait`, which does not exist.
  option.negate = false;
  if (row.excludes !== undefined) option.conflicts(row.excludes);
  if (row.value === undefined) return option.default(false);
  option.makeOptionMandatory(row.isRequired === true);
  const { choices, form } = row;
  if (row.isRepeated) {
    const read = choices ? oneOf(choices) : plain;
    return option
      .default([])
      .argParser((text: string, before: readonly string[]) => [...before, read(text)]);
  }
  if (choices) return option.choices(choices);
  return option.argParser(form ? (text: string) => inForm(plain(text), form) : plain);
}

/** Between angle brackets a value is demanded, whatever characters its name has. */
function flagsWithValue(name: string, value: string, short: string | undefined): string {
  return `${short === undefined ? '' : `-${short}, `}${toFlag(name)} <${value}>`;
}

/** A value that looks like the next option is more likely to be one. */
function plain(text: string): string {
  if (/^--[a-z]/.test(text)) throw new InvalidArgumentError('It looks like an option.');
  return text;
}

function oneOf(choices: readonly string[]): (text: string) => string {
  return (text) => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  };
}

function inForm<T>(text: string, { parse, rule }: ValueForm<T>): T {
  const value = parse(text);
  if (value === undefined) throw new InvalidArgumentError(rule);
  return value;
}
