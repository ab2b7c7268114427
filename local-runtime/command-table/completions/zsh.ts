import type { Command, CommandTable } from '../command.ts';
import {
  argumentWords,
  firstWordsOf,
  flagsOf,
  secondWords,
  type ValueWords,
  type Word,
} from './words.ts';

/** A completion function for zsh. */
export function zshCompletions(table: CommandTable): string {
  return `#compdef image-bridge
_image_bridge() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${described(firstWordsOf(table))})
    _describe 'command' found
    return
  fi
  case "$words[2]" in
${firstWordsOf(table)
  .map(({ word }) => firstCase(word, table))
  .join('\n')}
  esac
}
_image_bridge "$@"
`;
}

function firstCase(word: string, table: CommandTable): string {
  const seconds = secondWords(word, table);
  const own = table.commands.find(({ name }) => name === word);
  if (own) return `    ${word}) shift words; (( CURRENT-- )); ${callOf(own)} ;;`;
  const cases = seconds.map((second) => {
    const command = table.commands.find(({ name }) => name === `${word} ${second.word}`);
    return `        ${second.word}) shift 2 words; (( CURRENT -= 2 )); ${command ? callOf(command) : ''} ;;`;
  });
  return `    ${word})
      if (( CURRENT == 3 )); then
        found=(${described(seconds)})
        _describe 'command' found
        return
      fi
      case "$words[3]" in
${cases.join('\n')}
      esac ;;`;
}

function callOf(command: Command): string {
  const flags = flagsOf(command).flatMap(({ flag, short, about, value, words }) =>
    [flag, ...(short ? [short] : [])].map((one) =>
      quoted(
        `${one}[${escaped(about)}]${value === undefined ? '' : `:${escaped(value)}:${action(words)}`}`,
      ),
    ),
  );
  const args = argumentWords(command).map((words, at) =>
    quoted(`${at + 1}:argument:${action(words)}`),
  );
  return ['_arguments', ...flags, quoted('--help[prints help]'), ...args].join(' ');
}

function action(words: ValueWords): string {
  if (words === 'files') return '_files';
  return words === 'none' ? ' ' : `(${words.join(' ')})`;
}

function described(words: readonly Word[]): string {
  return words
    .map(({ word, about }) => quoted(`${word}:${about.replaceAll(':', '\\:')}`))
    .join(' ');
}

/** For a specification of `_arguments`. */
function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
