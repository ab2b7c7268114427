import type { Command, CommandTable } from '../command.ts';
import { argumentWords, firstWordsOf, flagsOf, secondWords, type ValueWords } from './words.ts';

/** A completion script for bash 3.2 and newer. */
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

/** What may follow an option that takes a value. */
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
