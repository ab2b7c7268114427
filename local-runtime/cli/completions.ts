import type { Command, Option } from 'commander';

/** The line that makes the completion script complete file names. */
const FILES = ':files';

/**
 * Returns the words that can continue a command line. Each line contains a word, a tab and the summary of the word. The last
 * item of `words` may be incomplete.
 */
export function completionsOf(program: Command, words: readonly string[]): string {
  const current = words.at(-1) ?? '';
  const { command, arguments: count, option } = walk(program, words.slice(0, -1));
  const lines = candidates(command, count, option, current.startsWith('-'))
    .filter(([word]) => word.startsWith(current) || word === FILES)
    .map(([word, about]) => `${word}\t${about}\n`);
  return lines.join('');
}

type Candidate = readonly [word: string, about: string];

/**
 * Reads the complete words of a command line. Returns the command, the number of arguments before the next word, and the
 * option if the next word is its value.
 */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  let count = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option) option = undefined;
    else if (word.startsWith('-')) {
      option = command.options.find((one) => one.required && [one.short, one.long].includes(word));
    } else {
      const found = command.commands.find((one) => one.name() === word);
      if (found) command = found;
      else count += 1;
    }
  }
  return { command, arguments: count, option };
}

function candidates(
  command: Command,
  count: number,
  option: Option | undefined,
  isFlag: boolean,
): readonly Candidate[] {
  const help = command.createHelp();
  if (option) return values(option.flags, option);
  if (isFlag) {
    return help.visibleOptions(command).flatMap(({ short, long, description }) => {
      return [short, long].flatMap((flag) => (flag ? [[flag, description] as const] : []));
    });
  }
  if (command.commands.length > 0) {
    if (count > 0) return [];
    return help
      .visibleCommands(command)
      .map((one) => [one.name(), help.subcommandDescription(one)] as const);
  }
  // Bash splits words at `=` and `:`, so `count` may be too high.
  const argument = command.registeredArguments[count] ?? command.registeredArguments.at(-1);
  return argument ? values(`<${argument.name()}>`, argument) : [];
}

function values(
  name: string,
  { argChoices: choices }: { readonly argChoices?: readonly string[] | undefined },
): readonly Candidate[] {
  if (choices) return choices.map((choice) => [choice, ''] as const);
  return name.endsWith('<file>') ? [[FILES, '']] : [];
}

/** The completion script of each shell, for bash 3.2, zsh 5 and fish 3 or newer. */
export const COMPLETION_SCRIPTS = {
  bash: `# bash completion of image-bridge
_image_bridge() {
  local word IFS=$'\\n'
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [ "$word" = ${FILES} ]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
    else
      COMPREPLY+=("$word")
    fi
  done < <(image-bridge complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _image_bridge image-bridge
`,
  zsh: `#compdef image-bridge
_image_bridge() {
  local line
  local -a found
  for line in "\${(@f)$(image-bridge complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      ${FILES}*) _files; return ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#found )) && _describe 'image-bridge' found
}
_image_bridge "$@"
`,
  fish: `# fish completion of image-bridge
function __image_bridge_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (image-bridge complete -- $words[2..-1] "$current" 2>/dev/null)
    if string match -q '${FILES}*' -- "$lines[1]"
        __fish_complete_path "$current"
    else
        string join \\n -- $lines
    end
end
complete -c image-bridge -f -a '(__image_bridge_complete)'
`,
} as const;
