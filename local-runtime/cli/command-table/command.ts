import type { CommandIo } from '../command-io.ts';

/** The parser for the value of an option. */
export interface ValueForm<T> {
  /** Returns undefined if the text does not have this form. */
  readonly parse: (text: string) => T | undefined;
  /** The error for such a text: a whole sentence. */
  readonly rule: string;
}

interface AnyOption {
  readonly about: string;
  /** The short flag: one letter. */
  readonly short?: string;
  /** The name of the option that cannot be combined with this option. */
  readonly excludes?: string;
}

/** One option; its key is the long name in camel case. An option without a `value`, such as `FILE`, is a switch. */
export type OptionRow = AnyOption &
  (
    | { readonly value?: never }
    | {
        readonly value: string;
        /** The accepted values. */
        readonly choices?: readonly string[];
        /** The parser of the value. Without it any text is accepted. */
        readonly form?: ValueForm<unknown>;
        readonly isRepeated?: true;
        readonly isRequired?: true;
      }
  );

/** One argument; its key is the name, which the help shows in capitals. */
export interface ArgumentRow {
  readonly about: string;
  readonly choices?: readonly string[];
  readonly isOptional?: true;
}

type Rows<Row> = Readonly<Record<string, Row>>;

type Single<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { form: ValueForm<infer Value> }
    ? Value
    : string;

type OptionValue<Row> = Row extends { value: string }
  ? Row extends { isRepeated: true }
    ? readonly Single<Row>[]
    : Single<Row> | (Row extends { isRequired: true } ? never : undefined)
  : boolean;

type ArgumentValue<Row> = Single<Row> | (Row extends { isOptional: true } ? undefined : never);

/** The values of options by option name. */
export type OptionValues<Options> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]>;
};

type ArgumentValues<Arguments> = {
  readonly [Name in keyof Arguments]: ArgumentValue<Arguments[Name]>;
};

/** One invocation of a command. */
export interface Call<Arguments, Options> {
  readonly args: Arguments;
  readonly options: Options;
  readonly io: CommandIo;
}

/** Runs the command. Resolves with the exit code. */
type Run<Arguments, Options> = (call: Call<Arguments, Options>) => Promise<number>;

interface CommandRow<Arguments extends Rows<ArgumentRow>, Options extends Rows<OptionRow>> {
  /** The command word; for a command of a group, the word of the group and the command word. */
  readonly name: string;
  /** The summary for lists of commands: an imperative without a capital letter and a full stop. */
  readonly about: string;
  /** More help: whole sentences, one for each line. */
  readonly details?: readonly string[];
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** Command lines without `image-bridge`, each with its purpose. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** The meanings of the exit codes. Every command returns 2 for a usage error. */
  readonly exits: Readonly<Record<number, string>>;
  /** Imports the implementation when the command runs, because most commands need few modules. */
  readonly load: () => Promise<Run<ArgumentValues<Arguments>, OptionValues<Options>>>;
}

/** A row of the command table, without the types of its arguments and options. */
export interface Command {
  readonly name: string;
  readonly about: string;
  readonly details: readonly string[];
  readonly arguments: Rows<ArgumentRow>;
  readonly options: Rows<OptionRow>;
  readonly examples: readonly (readonly [line: string, about: string])[];
  readonly exits: Readonly<Record<number, string>>;
  readonly run: Run<Rows<unknown>, Rows<unknown>>;
}

/** All commands, and a summary for each group of commands. */
export interface CommandTable {
  readonly commands: readonly Command[];
  /** The summary of each group by its first word. */
  readonly groups: Readonly<Record<string, string>>;
}

type None = Readonly<Record<never, never>>;

/** Creates a command. The types check that the loaded function accepts the arguments and options of the row. */
export function command<
  const Arguments extends Rows<ArgumentRow> = None,
  const Options extends Rows<OptionRow> = None,
>(row: CommandRow<Arguments, Options>): Command {
  return {
    details: [],
    ...row,
    // A row without arguments or options has the default type parameter: the empty record.
    arguments: row.arguments ?? {},
    options: row.options ?? {},
    async run({ args, options, io }) {
      const run = await row.load();
      // The parser derives these values from the same rows.
      return run({
        args: args as ArgumentValues<Arguments>,
        options: options as OptionValues<Options>,
        io,
      });
    },
  };
}
