import type { Command, CommandTable } from './command.ts';
import { sectionsOf, sentence, usageOf } from './help.ts';

const VARIABLES: readonly (readonly [name: string, about: string])[] = [
  [
    'IMAGE_BRIDGE_CONFIG',
    'The configuration file, instead of ./image-bridge.toml or the file written by setup.',
  ],
  [
    'IMAGE_BRIDGE__SERVER__BIND',
    'The setting server.bind. Every other setting has a variable of the same form.',
  ],
  ['IMAGE_BRIDGE_URL', 'The URL of the service for the client commands.'],
  ['IMAGE_BRIDGE_TOKEN', 'The token that the client commands send.'],
  ['CODEX_HOME', "The folder of the agent's login, instead of ~/.codex."],
  ['NO_COLOR', 'If set and not empty, disables colours.'],
];

/** Returns the manual page of the program, in the macros of man(7). */
export function manPage({ commands }: CommandTable, version: string): string {
  const lines = [
    `.TH IMAGE\\-BRIDGE 1 "" ${quoted(`Image Bridge ${version}`)} "User Commands"`,
    ...['.SH NAME', 'image\\-bridge \\- a local service that makes and edits images'],
    ...['.SH SYNOPSIS', '.B image\\-bridge', '.I COMMAND'],
    '.SH DESCRIPTION',
    escaped('Runs the service, operates it, and calls a running service.'),
    escaped('image-bridge COMMAND --help prints the help of one command.'),
    ...['.SH COMMANDS', ...commands.flatMap(commandLines)],
    ...['.SH ENVIRONMENT', ...VARIABLES.flatMap(([name, about]) => term(name, about))],
    '.SH EXIT STATUS',
    escaped('0 is success, 1 is failure, 2 is a usage error or an invalid configuration.'),
    escaped('Each command lists its own exit codes.'),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command): readonly string[] {
  const { name, about, details } = command;
  return [
    `.SS ${escaped(name)}`,
    ...['.nf', escaped(usageOf(command)), '.fi', '.PP'],
    ...[sentence(about), ...details].map(escaped),
    ...sectionsOf(command).flatMap(({ heading, lines }) => [
      '.PP',
      `.I ${escaped(heading)}`,
      ...lines.flatMap(([word, meaning]) => term(word, meaning)),
    ]),
  ];
}

function term(name: string, about: string): readonly string[] {
  return ['.TP', `.B ${escaped(name)}`, escaped(about)];
}

/** Escapes the control characters of roff, and hyphens so that they can be copied from the page. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`;
}
