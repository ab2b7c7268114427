import type { CommandIo } from '../command-io.ts';

/** An option. The key in the table is the long name in camel case. An option without a `value` is a switch. */
export interface OptionRow {
  readonly about: string;
  /** The short flag: one letter. */
  readonly short?: string;
  /** The name of the value in the help. If the name is `file`, shells complete the value with file names. */
  readonly value?: string;
  /** The accepted values. */
  readonly choices?: readonly string[];
  /** Parses the value. Throws `InvalidArgumentError` with a complete sentence. Without this function, any text is accepted. */
  readonly parse?: (text: string) => unknown;
  readonly default?: unknown;
  readonly isRepeated?: true;
  readonly isRequired?: true;
  /** The name of the option that cannot be combined with this option. */
  readonly excludes?: string;
}

/** An argument. The key in the table is the name of the argument. */
export interface ArgumentRow {
  readonly about: string;
  readonly choices?: readonly string[];
  /** True if the argument may be omitted. Its value is then undefined. */
  readonly isOptional?: true;
}

type Rows<Row> = Readonly<Record<string, Row>>;

type Single<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { parse: (text: string) => infer Value }
    ? Value
    : string;

type OptionValue<Row> = Row extends { value: string }
  ? Row extends { isRepeated: true }
    ? readonly Single<Row>[]
    : Single<Row> | (Row extends { isRequired: true } | { default: unknown } ? never : undefined)
  : boolean;

/** The values of options by option name. */
export type OptionValues<Options> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]>;
};

type ArgumentValues<Arguments> = {
  readonly [Name in keyof Arguments]:
    | Single<Arguments[Name]>
    | (Arguments[Name] extends { isOptional: true } ? undefined : never);
};

/** One invocation of a command. */
export interface Call<Arguments, Options> {
  readonly args: Arguments;
  readonly options: Options;
  readonly io: CommandIo;
}

/** Runs the command. Resolves with the exit code. */
type Run<Arguments, Options> = (call: Call<Arguments, Options>) => Promise<number>;

interface CommandRow<Arguments, Options> {
  /** The word of the command, such as `serve`. For a command in a group, the word of the group comes first: `jobs list`. */
  readonly name: string;
  /** The summary for lists of commands: an imperative that begins with a small letter and has no full stop. */
  readonly about: string;
  /** Additional help text, in complete sentences. */
  readonly details?: readonly string[];
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** Command lines without the word `image-bridge`, each with its purpose. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** The meanings of the exit codes. Every command returns 2 for a usage error. */
  readonly exits: Readonly<Record<number, string>>;
  /** Imports and runs the implementation. The import is dynamic so that a command loads only the modules that it needs. */
  readonly run: Run<ArgumentValues<Arguments>, OptionValues<Options>>;
}

/** A row of the command table, without the types of its arguments and options. */
export interface Command extends Omit<CommandRow<Rows<ArgumentRow>, Rows<OptionRow>>, 'run'> {
  readonly run: Run<Rows<unknown>, Rows<unknown>>;
}

type None = Readonly<Record<never, never>>;

/** Creates a command. The compiler checks that the function `run` accepts the arguments and options of the row. */
export function command<
  const Arguments extends Rows<ArgumentRow> = None,
  const Options extends Rows<OptionRow> = None,
>(row: CommandRow<Arguments, Options>): Command {
  const { run, ...rest } = row;
  // The cast is safe because the parser derives the values from the same rows.
  return { ...rest, run: run as unknown as Command['run'] };
}
