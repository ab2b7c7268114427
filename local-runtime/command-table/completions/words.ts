import type { Command, CommandTable, OptionRow } from '../command.ts';
import { firstWords } from '../help.ts';
import { toFlag } from '../usage.ts';

/** A word of the command line and what it is for. */
export interface Word {
  readonly word: string;
  readonly about: string;
}

/** What completes a value: one of these words, a file, or nothing that a shell knows. */
export type ValueWords = readonly string[] | 'files' | 'none';

const FILES = new Set(['FILE', 'file']);

/** The words that may follow the program's name. */
export function firstWordsOf(table: CommandTable): readonly Word[] {
  return firstWords(table).map(([word, about]) => ({ word, about }));
}

/** The words that may follow a first word; none where that is a command. */
export function secondWords(first: string, { commands }: CommandTable): readonly Word[] {
  return commands
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name, about }) => ({
      word: name.slice(first.length + 1),
      about,
    }));
}

/** The flags of a command with what they are for and take. */
export function flagsOf({ options }: Command) {
  return Object.entries(options).map(([name, row]) => ({
    flag: toFlag(name),
    short: row.short === undefined ? undefined : `-${row.short}`,
    about: row.about,
    value: row.value,
    words: valueWords(row),
  }));
}

export function argumentWords({ arguments: args }: Command): readonly ValueWords[] {
  return Object.entries(args).map(([name, { choices }]) => choices ?? namedWords(name));
}

function valueWords({ value, ...row }: OptionRow): ValueWords {
  if (value === undefined) return 'none';
  return ('choices' in row ? row.choices : undefined) ?? namedWords(value);
}

function namedWords(name: string): ValueWords {
  return FILES.has(name) ? 'files' : 'none';
}
