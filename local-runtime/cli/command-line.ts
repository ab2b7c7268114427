import { styleText } from 'node:util';
import {
  Argument,
  CommanderError,
  InvalidArgumentError,
  Option,
  Command as Parser,
} from 'commander';
import { packageVersion } from '../server/package-version.ts';
import type { CommandIo } from './command-io.ts';
import type { ArgumentRow, Command, OptionRow } from './command-table/command.ts';
import { COMMAND_SECTIONS, GROUPS } from './command-table/commands.ts';
import { isColored } from './terminal.ts';

/** The result of parsing a command line: a command to run, or the exit code after help or an error was printed. */
export type ParsedLine =
  | { readonly command: Command; readonly args: Values; readonly options: Values }
  | { readonly exitCode: number };

type Values = Readonly<Record<string, unknown>>;

const WIDEST_LINE = 100;

/** Runs one command line. Resolves with the exit code. */
export async function runCommandLine(argv: readonly string[], io: CommandIo): Promise<number> {
  // The completion scripts run `image-bridge complete -- WORDS`.
  if (argv[0] === 'complete') {
    const { completionsOf } = await import('./completions.ts');
    io.stdout(completionsOf(createParser(io), argv.slice(2)));
    return 0;
  }
  const line = parseLine(argv.length === 0 ? ['--help'] : argv, io);
  return 'exitCode' in line ? line.exitCode : line.command.run({ ...line, io });
}

/** Parses a command line. Prints the help if help is requested. Prints the usage and an error if the line is invalid. */
export function parseLine(argv: readonly string[], io: CommandIo): ParsedLine {
  let parsed: ParsedLine = { exitCode: 2 };
  const onParsed = (line: ParsedLine) => {
    parsed = line;
  };
  // Only the names of the other commands are needed, for suggestions and lists.
  const parser = createParser(io, { isUsed: (word) => argv.includes(word), onParsed });
  try {
    parser.parse(argv, { from: 'user' });
    return parsed;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { exitCode: error.exitCode === 0 ? 0 : 2 };
  }
}

interface Uses {
  /** Returns true if commands with this first word need their arguments and options. */
  readonly isUsed: (word: string) => boolean;
  readonly onParsed: (line: ParsedLine) => void;
}

/** Creates the parser of all commands. On an error, the parser throws and does not end the process. */
export function createParser(
  io: Pick<CommandIo, 'stdout' | 'stderr' | 'isTerminal' | 'env'>,
  uses: Uses = { isUsed: () => true, onParsed() {} },
): Parser {
  const program = new Parser('image-bridge')
    .description('Runs the service, operates it, and calls a running service.')
    .usage('<command>')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .configureHelp({
      styleTitle: toHeading,
      // The list contains only names, because the help of each command describes its arguments and options.
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: io.stdout,
      writeErr: io.stderr,
      getOutHelpWidth: () => Math.min(process.stdout.columns ?? WIDEST_LINE, WIDEST_LINE),
      // Commander removes colours if these functions return false.
      getOutHasColors: () => isColored('stdout', io),
      getErrHasColors: () => isColored('stderr', io),
    })
    .addHelpText('after', '\nUse image-bridge <command> --help for the help of a command.');
  showUsage(program, io);
  for (const [heading, commands] of COMMAND_SECTIONS) {
    program.commandsGroup(heading);
    for (const command of commands) addCommand(program, command, io, uses);
  }
  // Added last, so that the `help` command is listed in the last section.
  return program.helpCommand('help [command]', 'print the help of a command');
}

/** Makes the parser print its usage before an error. The parser of a group, or of the program, also prints its list of commands. */
function showUsage(parser: Parser, io: Pick<CommandIo, 'stderr'>): void {
  parser.configureOutput({
    outputError(text) {
      const usage =
        parser.commands.length > 0
          ? parser.helpInformation({ error: true })
          : `usage: ${parser.createHelp().commandUsage(parser)}`;
      io.stderr(`${usage}\nimage-bridge: ${text.replace(/^error: /, '')}`);
    },
  });
}

function addCommand(
  program: Parser,
  command: Command,
  io: Pick<CommandIo, 'stderr'>,
  { isUsed, onParsed }: Uses,
): void {
  const [word = '', verb] = command.name.split(' ');
  const parent = verb === undefined ? program : groupOf(program, word, io);
  const parser = parent.command(verb ?? word).summary(command.about);
  if (!isUsed(word)) return;
  showUsage(parser, io);
  const { about, details = [], arguments: args = {}, options = {} } = command;
  for (const [name, row] of Object.entries(args)) parser.addArgument(toArgument(name, row));
  for (const [name, row] of Object.entries(options)) parser.addOption(toOption(name, row));
  const required = parser.options.filter(({ mandatory }) => mandatory);
  const usage = [...required.map(({ flags }) => flags.replace(/^.*, /, '')), parser.usage()];
  parser
    .description([sentence(about), ...details].join(' '))
    // Breaks a long usage line before an option.
    .usage(usage.join(' ').replaceAll(/(.{30,}?) (?=--)/g, '$1\n         '))
    .addHelpText('after', () => toNotes(command))
    .action(() => {
      const values = Object.keys(args).map((name, at) => [name, parser.processedArgs[at]]);
      const given = parser.opts();
      onParsed({
        command,
        args: Object.fromEntries(values),
        options: Object.fromEntries(
          Object.entries(options).map(([name, row]) => [name, given[name] ?? unset(row)]),
        ),
      });
    });
}

/** Returns the parser of a group of commands. Creates the parser at the first call for the group. */
function groupOf(program: Parser, word: string, io: Pick<CommandIo, 'stderr'>): Parser {
  const found = program.commands.find((parser) => parser.name() === word);
  if (found) return found;
  const about = GROUPS[word] ?? '';
  const group = program.command(word).summary(about).description(sentence(about));
  showUsage(group, io);
  return group.usage('<command>').helpCommand(false);
}

function toArgument(name: string, { about, choices, isOptional }: ArgumentRow): Argument {
  const argument = new Argument(isOptional ? `[${name}]` : `<${name}>`, about);
  if (choices) return argument.choices(choices);
  return argument.argParser((text: string) => {
    if (text === '') throw new InvalidArgumentError('The value is empty.');
    return text;
  });
}

function toOption(name: string, row: OptionRow): Option {
  const { about, short, value, choices, parse = (text: string) => text } = row;
  const long = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const flags = short === undefined ? long : `-${short}, ${long}`;
  const option = new Option(value === undefined ? flags : `${flags} <${value}>`, about);
  // Without this line, commander parses `--no-wait` as the negation of an option `--wait`.
  option.negate = false;
  if (row.excludes !== undefined) option.conflicts(row.excludes);
  if (value === undefined) return option;
  option.makeOptionMandatory(row.isRequired === true).default(row.default);
  const isChoice = (text: string) => choices?.includes(text) ?? true;
  const read = (text: string) => {
    // The value of the option is probably missing.
    if (/^--[a-z]/.test(text)) throw new InvalidArgumentError('The value looks like an option.');
    if (isChoice(text)) return parse(text);
    throw new InvalidArgumentError(`Allowed choices are ${choices?.join(', ')}.`);
  };
  if (choices) option.choices(choices);
  const add = (text: string, before: readonly unknown[] = []) => [...before, read(text)];
  return row.isRepeated ? option.argParser(add) : option.argParser(read);
}

/** Returns the value of an option that is not on the command line and has no default. */
function unset({ value, isRepeated }: OptionRow): unknown {
  if (value === undefined) return false;
  return isRepeated ? [] : undefined;
}

/** Returns the examples and exit codes of a command. */
function toNotes({ examples, exits }: Command): string {
  const codes = Object.entries({ 2: 'the command line or the configuration is invalid', ...exits });
  return [
    `\n${toHeading('Examples:')}`,
    ...examples.map(([line, about]) => `  image-bridge ${line}\n      ${about}`),
    `\n${toHeading('Exit codes:')}`,
    ...codes.map(([code, about]) => `  ${code.padEnd(3)}  ${about}`),
  ].join('\n');
}

/** Adds a capital letter and a full stop to a summary. */
function sentence(about: string): string {
  return `${about[0]?.toUpperCase()}${about.slice(1)}.`;
}

function toHeading(title: string): string {
  return styleText('bold', title.toLowerCase(), { validateStream: false });
}
