import {
  Argument,
  CommanderError,
  InvalidArgumentError,
  Option,
  Command as Parser,
} from 'commander';
import { packageVersion } from '../server/package-version.ts';
import type { CommandIo } from './command-io.ts';
import type { ArgumentRow, Command, OptionRow, ValueForm } from './command-table/command.ts';
import { COMMAND_TABLE } from './command-table/commands.ts';
import {
  commandHelp,
  firstWord,
  groupHelp,
  optionTerm,
  programHelp,
  toFlag,
  usagesOf,
  withBoldHeadings,
} from './command-table/help.ts';
import { isColored } from './terminal.ts';

/** The result of parsing a command line: a command to run, or the exit code after help or an error was printed. */
export type ParsedLine =
  | { readonly command: Command; readonly args: Values; readonly options: Values }
  | { readonly exitCode: number };

type Values = Readonly<Record<string, unknown>>;

/** Runs one command line. Resolves with the exit code. */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<number> {
  const line = parseLine(argv.length === 0 ? ['--help'] : argv, io, packageVersion());
  return 'exitCode' in line ? line.exitCode : line.command.run({ ...line, io });
}

/** Parses a command line. Prints the help if it is requested, and the usage and an error if the line is invalid. */
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
    // Commands with another first word are only needed by name, for suggestions.
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
  /** The usage that is printed before the error for an invalid command line. */
  readonly usage: () => string;
}

/** Creates a parser that throws instead of exiting the process, and prints the help and usage of the command table. */
function parserOf(name: string, { help, usage }: Texts, io: CommandIo): Parser {
  return new Parser(name)
    .exitOverride()
    .helpOption('-h, --help')
    .configureHelp({ formatHelp: () => `${withBoldHeadings(help())}\n` })
    .configureOutput({
      // Commander removes colours if these functions return false.
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
  // Commander would parse `--no-wait` as the negation of `--wait`, which does not exist.
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

/** Returns flags with the value in angle brackets, because commander then requires a value with any name. */
function flagsWithValue(name: string, value: string, short: string | undefined): string {
  return `${short === undefined ? '' : `-${short}, `}${toFlag(name)} <${value}>`;
}

/** Rejects a value that looks like an option, because the value itself was probably left out. */
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
