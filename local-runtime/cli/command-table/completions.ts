import type { Call, Command, CommandTable, OptionRow } from './command.ts';
import { firstWords, toFlag } from './help.ts';

/** A word of the command line and its summary. */
interface Word {
  readonly word: string;
  readonly about: string;
}

/** The completions of a value: one of these words, a file name, or none. */
type ValueWords = readonly string[] | 'files' | 'none';

const FILES = new Set(['FILE', 'file']);

/** Returns the words that can follow the program's name. */
function firstWordsOf(table: CommandTable): readonly Word[] {
  return firstWords(table).map(([word, about]) => ({ word, about }));
}

/** Returns the words that can follow a first word; none if the first word is a command. */
function secondWords(first: string, { commands }: CommandTable): readonly Word[] {
  return commands
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name, about }) => ({
      word: name.slice(first.length + 1),
      about,
    }));
}

/** Returns the flags of a command with their summaries and values. */
function flagsOf({ options }: Command) {
  return Object.entries(options).map(([name, row]) => ({
    flag: toFlag(name),
    short: row.short === undefined ? undefined : `-${row.short}`,
    about: row.about,
    value: row.value,
    words: valueWords(row),
  }));
}

function argumentWords({ arguments: args }: Command): readonly ValueWords[] {
  return Object.entries(args).map(([name, { choices }]) => choices ?? namedWords(name));
}

function valueWords({ value, ...row }: OptionRow): ValueWords {
  if (value === undefined) return 'none';
  return ('choices' in row ? row.choices : undefined) ?? namedWords(value);
}

function namedWords(name: string): ValueWords {
  return FILES.has(name) ? 'files' : 'none';
}

/** Returns a completion script for bash 3.2 and newer. */
export function bashCompletions(table: CommandTable): string {
  const firsts = firstWordsOf(table);
  const groups = firsts.filter(({ word }) => secondWords(word, table).length > 0);
  return `# bash completion of image-bridge
_image_bridge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local command="\${COMP_WORDS[1]}" flags='--help' words='' files=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${firsts.map(({ word }) => word).join(' ')} --help --version' -- "$current"))
    return
  fi
  case "$command" in
${groups.map(({ word }) => groupCase(word, table)).join('\n')}
  esac
  case "$command" in
${table.commands.map((command) => commandCase(command)).join('\n')}
  esac
  case "$command $previous" in
${table.commands.flatMap((command) => valueCases(command)).join('\n')}
  esac
  if [ "\${current:0:1}" = - ]; then words="$flags" files=''; fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [ -n "$files" ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _image_bridge image-bridge
`;
}

function groupCase(word: string, table: CommandTable): string {
  const words = secondWords(word, table).map((second) => second.word);
  return `    ${word})
      if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current")); return; fi
      command="$command \${COMP_WORDS[2]}" ;;`;
}

function commandCase(command: Command): string {
  const flags = flagsOf(command).flatMap(({ flag, short }) => (short ? [short, flag] : [flag]));
  const args = argumentWords(command);
  const words = args.flatMap((one) => (typeof one === 'string' ? [] : one));
  const files = args.includes('files') ? " files='yes'" : '';
  return `    '${command.name}') flags='${[...flags, '--help'].join(' ')}' words='${words.join(' ')}'${files} ;;`;
}

/** Returns the cases that complete the value of an option. */
function valueCases(command: Command): readonly string[] {
  return flagsOf(command)
    .filter(({ value }) => value !== undefined)
    .map(({ flag, short, words }) => {
      const patterns = [flag, ...(short ? [short] : [])].map((one) => `'${command.name} ${one}'`);
      return `    ${patterns.join('|')}) ${completed(words)} ;;`;
    });
}

function completed(words: ValueWords): string {
  if (words === 'none') return 'return';
  if (words === 'files') return "words='' files='yes' flags=''";
  return `words='${words.join(' ')}' files=''`;
}

/** Returns a completion function for zsh. */
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
      zshQuoted(
        `${one}[${zshEscaped(about)}]${value === undefined ? '' : `:${zshEscaped(value)}:${action(words)}`}`,
      ),
    ),
  );
  const args = argumentWords(command).map((words, at) =>
    zshQuoted(`${at + 1}:argument:${action(words)}`),
  );
  return ['_arguments', ...flags, zshQuoted('--help[prints help]'), ...args].join(' ');
}

function action(words: ValueWords): string {
  if (words === 'files') return '_files';
  return words === 'none' ? ' ' : `(${words.join(' ')})`;
}

function described(words: readonly Word[]): string {
  return words
    .map(({ word, about }) => zshQuoted(`${word}:${about.replaceAll(':', '\\:')}`))
    .join(' ');
}

/** Escapes a text for a specification of `_arguments`. */
function zshEscaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the completions for fish. */
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
  return `complete -c image-bridge -n ${fishQuoted(condition)} -a ${word} -d ${fishQuoted(about)}`;
}

function commandLines(command: Command): readonly string[] {
  const seen = command.name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const start = `complete -c image-bridge -n ${fishQuoted(seen.join('; and '))}`;
  const flags = flagsOf(command).map(({ flag, short, about, value, words }) => {
    const names = `-l ${flag.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
    return `${start} ${names}${value === undefined ? '' : valueSource(words)} -d ${fishQuoted(about)}`;
  });
  const args = argumentWords(command)
    .filter((words) => words !== 'none')
    .map((words) => `${start}${argumentSource(words)}`);
  return [...flags, ...new Set(args)];
}

/** Returns the source of an option's values. `-x` means that a value is required and file names are not completed. */
function valueSource(words: ValueWords): string {
  if (words === 'files') return ' -r -F';
  return words === 'none' ? ' -x' : ` -x -a ${fishQuoted(words.join(' '))}`;
}

function argumentSource(words: Exclude<ValueWords, 'none'>): string {
  return words === 'files' ? ' -F' : ` -a ${fishQuoted(words.join(' '))}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

const SHELLS = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions };

/** Runs `image-bridge completions`. Resolves with the exit code. */
export async function runCompletions(
  { args, io }: Call<{ readonly shell: keyof typeof SHELLS }, unknown>,
  table: CommandTable,
): Promise<number> {
  io.stdout(SHELLS[args.shell](table));
  return 0;
}
