import type { Command } from 'commander';

const VARIABLES: readonly (readonly [name: string, about: string])[] = [
  [
    'IMAGE_BRIDGE_CONFIG',
    'The configuration file to use instead of ./image-bridge.toml or the file written by setup.',
  ],
  [
    'IMAGE_BRIDGE__SERVER__BIND',
    'The value of the setting server.bind. Every other setting has a variable of the same form.',
  ],
  ['IMAGE_BRIDGE_URL', 'The URL of the service for the client commands.'],
  ['IMAGE_BRIDGE_TOKEN', 'The token that the client commands send.'],
  ['CODEX_HOME', "The folder of the agent's login (default: ~/.codex)."],
  ['NO_COLOR', 'If set and not empty, disables colours.'],
];

/** Returns the manual page of the program in the format of man(7). The page contains the help of each command. */
export function manPage(program: Command, version: string): string {
  const lines = [
    `.TH IMAGE\\-BRIDGE 1 "" "Image Bridge ${escaped(version)}" "User Commands"`,
    ...['.SH NAME', 'image\\-bridge \\- a local service that makes and edits images'],
    ...['.SH SYNOPSIS', '.B image\\-bridge', '.I command'],
    ...['.SH DESCRIPTION', escaped(program.description())],
    ...['.SH COMMANDS', ...program.commands.flatMap((command) => commandLines(command))],
    '.SH ENVIRONMENT',
    ...VARIABLES.flatMap(([name, about]) => ['.TP', `.B ${escaped(name)}`, escaped(about)]),
    '.SH EXIT STATUS',
    escaped('0 is success, 1 is failure, 2 is a usage error or an invalid configuration.'),
    escaped('Each command lists its own exit codes.'),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command, group = ''): readonly string[] {
  const name = `${group}${command.name()}`;
  if (command.commands.length > 0) {
    return command.commands.flatMap((verb) => commandLines(verb, `${name} `));
  }
  return [`.SS ${escaped(name)}`, '.nf', escaped(helpOf(command)), '.fi'];
}

function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    getOutHelpWidth: () => 76,
    writeOut(text) {
      help += text;
    },
  });
  command.outputHelp();
  return help.trimEnd();
}

/** Escapes the control characters of roff, and hyphens, so that a hyphen that is copied from the page is an ASCII hyphen. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}
