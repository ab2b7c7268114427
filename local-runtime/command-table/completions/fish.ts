import type { Command, CommandTable } from '../command.ts';
import {
  argumentWords,
  firstWordsOf,
  flagsOf,
  secondWords,
  type ValueWords,
  type Word,
} from './words.ts';

/** Completions for fish. */
export function fishCompletions(table: CommandTable): string {
  const firsts = firstWordsOf(table);
  const lines = [
    '# fish completions of image-bridge',
    'complete -c image-bridge -f',
    ...firsts.map((word) => wordLine('__fish_use_subcommand', word)),
    ...firsts.flatMap(({ word }) => groupLines(word, table)),
    ...table.commands.flatMap(commandLines),
  ];
  return `${lines.join('\n')}\n`;
}

function groupLines(group: string, table: CommandTable): readonly string[] {
  const seconds = secondWords(group, table);
  const known = seconds.map(({ word }) => word).join(' ');
  const condition = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${known}`;
  return seconds.map((word) => wordLine(condition, word));
}

function wordLine(condition: string, { word, about }: Word): string {
  return `complete -c image-bridge -n ${quoted(condition)} -a ${word} -d ${quoted(about)}`;
}

function commandLines(command: Command): readonly string[] {
  const seen = command.name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const start = `complete -c image-bridge -n ${quoted(seen.join('; and '))}`;
  const flags = flagsOf(command).map(({ flag, short, about, value, words }) => {
    const names = `-l ${flag.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
    return `${start} ${names}${value === undefined ? '' : valueSource(words)} -d ${quoted(about)}`;
  });
  const args = argumentWords(command)
    .filter((words) => words !== 'none')
    .map((words) => `${start}${argumentSource(words)}`);
  return [...flags, ...new Set(args)];
}

/** `-x`: a value, and no file. */
function valueSource(words: ValueWords): string {
  if (words === 'files') return ' -r -F';
  return words === 'none' ? ' -x' : ` -x -a ${quoted(words.join(' '))}`;
}

function argumentSource(words: Exclude<ValueWords, 'none'>): string {
  return words === 'files' ? ' -F' : ` -a ${quoted(words.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
