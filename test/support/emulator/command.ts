import { parseArgs } from 'node:util';
import { fail, print } from './print.ts';

/** The command that the words after the name of an emulator select. */
export type Command<Run extends object> =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'wrong'; readonly what: string }
  | ({ readonly kind: 'run' } & Run);

/** The options of a command line. They throw for an invalid value. */
type Options = ReturnType<typeof optionsOf>;

/** Parses `--list`, `--help`, and options with these names, each with a value. */
export function parseWords<const Run extends object>(
  words: readonly string[],
  names: readonly string[],
  toRun: (options: Options) => Run,
): Command<Run> {
  const named = names.map((name) => [name, { type: 'string' }] as const);
  const flags = { list: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  try {
    const { values } = parseArgs({
      args: [...words],
      strict: true,
      options: { ...Object.fromEntries(named), ...flags },
    });
    const { help, list, ...texts } = values;
    if (help) return { kind: 'help' };
    if (list) return { kind: 'list' };
    return { kind: 'run', ...toRun(optionsOf(texts)) };
  } catch (error) {
    return { kind: 'wrong', what: error instanceof Error ? error.message : String(error) };
  }
}

function optionsOf(values: Readonly<Record<string, unknown>>) {
  const text = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };

  function number(name: string, otherwise: number): number {
    const digits = text(name);
    if (digits === undefined) return otherwise;
    if (!/^\d{1,9}$/.test(digits)) throw new Error(`--${name} takes a number`);
    return Number(digits);
  }

  return {
    text,
    number,

    /** Returns one of the names that `--list` prints. */
    listed<Name extends string>(
      option: string,
      isName: (text: string) => text is Name,
      otherwise: Name,
    ): Name {
      const name = text(option) ?? otherwise;
      if (isName(name)) return name;
      throw new Error(`--${option} ${name}: no such name, see --list`);
    },

    /** Returns the piece sizes of replies that `--chunk` selects. */
    chunks: () => (text('chunk') === undefined ? {} : { chunks: Math.max(1, number('chunk', 1)) }),
  };
}

interface Program<Run> {
  readonly usage: string;
  readonly listing: () => string;
  readonly serve: (run: Run) => Promise<void>;
}

/** Prints the requested text, or serves until a signal ends the program. */
export async function runCommand<Run extends object>(
  command: Command<Run>,
  { usage, listing, serve }: Program<Run>,
): Promise<void> {
  if (command.kind === 'help') print(usage);
  else if (command.kind === 'list') print(listing());
  else if (command.kind === 'wrong') fail(`${command.what}\n\n${usage}`);
  else await serve(command);
}
