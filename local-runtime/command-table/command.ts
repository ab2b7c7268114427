import type { CommandIo } from '../command-io.ts';
import type { ValueForm } from './value-form.ts';

interface AnyOption {
  readonly about: string;
  /** One letter. */
  readonly short?: string;
  /** The option that it excludes. */
  readonly excludes?: string;
}

/** One option under its long name, in camel case. A switch unless it names a value, such as `FILE`. */
export type OptionRow = AnyOption &
  (
    | { readonly value?: never }
    | {
        readonly value: string;
        /** The only values. */
        readonly choices?: readonly string[];
        /** Any text without it. */
        readonly form?: ValueForm<unknown>;
        readonly isRepeated?: true;
        readonly isRequired?: true;
      }
  );

/** One argument under its name, which is shown in capitals. */
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

/** The values of options, by their names. */
export type OptionValues<Options> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]>;
};

type ArgumentValues<Arguments> = {
  readonly [Name in keyof Arguments]: ArgumentValue<Arguments[Name]>;
};

/** One use of a command. */
export interface Call<Arguments, Options> {
  readonly args: Arguments;
  readonly options: Options;
  readonly io: CommandIo;
}

/** Resolves to the exit code. */
type Run<Arguments, Options> = (call: Call<Arguments, Options>) => Promise<number>;

interface CommandRow<Arguments extends Rows<ArgumentRow>, Options extends Rows<OptionRow>> {
  /** One word, or the word of its group and its own. */
  readonly name: string;
  /** What it does, for lists: a part of a sentence. */
  readonly about: string;
  /** What else there is to know: whole sentences, one a line. */
  readonly details?: readonly string[];
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** What follows `image-bridge`, and what it is for. */
  readonly examples: readonly (readonly [line: string, about: string])[];
  /** What its exit codes mean; 2 is for bad usage everywhere. */
  readonly exits: Readonly<Record<number, string>>;
  /** Loaded when the command runs: a check of the configuration needs no image library. */
  readonly load: () => Promise<Run<ArgumentValues<Arguments>, OptionValues<Options>>>;
}

/** A row of the table of commands, whatever its arguments and options. */
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

/** All commands, and what those of each first word have in common. */
export interface CommandTable {
  readonly commands: readonly Command[];
  readonly groups: Readonly<Record<string, string>>;
}

type None = Readonly<Record<never, never>>;

/** Checks that what is loaded takes the values that the row describes. */
export function command<
  const Arguments extends Rows<ArgumentRow> = None,
  const Options extends Rows<OptionRow> = None,
>(row: CommandRow<Arguments, Options>): Command {
  return {
    details: [],
    ...row,
    // Without rows of its own a type parameter is its default, the empty record.
    arguments: row.arguments ?? {},
    options: row.options ?? {},
    async run({ args, options, io }) {
      const run = await row.load();
      // The parser makes these values from the same rows.
      return run({
        args: args as ArgumentValues<Arguments>,
        options: options as OptionValues<Options>,
        io,
      });
    },
  };
}
