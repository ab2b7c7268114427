import type { Command, CommandTable } from './command.ts';
import { sectionsOf, sentence } from './help.ts';
import { usageOf } from './usage.ts';

const VARIABLES: readonly (readonly [name: string, about: string])[] = [
  [
    'IMAGE_BRIDGE_CONFIG',
    'The configuration file, instead of ./image-bridge.toml or the one that setup writes.',
  ],
  ['IMAGE_BRIDGE__SERVER__BIND', 'Overrides the setting server.bind; other settings likewise.'],
  ['IMAGE_BRIDGE_URL', 'The service that client commands use.'],
  ['IMAGE_BRIDGE_TOKEN', 'The token that they send.'],
  ['CODEX_HOME', "The folder of the agent's login, instead of ~/.codex."],
  ['NO_COLOR', 'No colours, unless it is empty.'],
];

/** The manual page of the program, in the macros of man(7). */
export function manPage({ commands }: CommandTable, version: string): string {
  const lines = [
    `.TH IMAGE\\-BRIDGE 1 "" ${quoted(`Image Bridge ${version}`)} "User Commands"`,
    ...['.SH NAME', 'image\\-bridge \\- a local service that makes and edits images'],
    ...['.SH SYNOPSIS', '.B image\\-bridge', '.I COMMAND'],
    '.SH DESCRIPTION',
    escaped('One program: the service, its operation, and clients of a running service.'),
    escaped('image-bridge COMMAND --help prints what this page says of one command.'),
    ...['.SH COMMANDS', ...commands.flatMap(commandLines)],
    ...['.SH ENVIRONMENT', ...VARIABLES.flatMap(([name, about]) => term(name, about))],
    '.SH EXIT STATUS',
    escaped('0 is success, 1 is failure, 2 is bad usage or an invalid configuration.'),
    escaped('Where a command has others, they are listed with it.'),
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

/** Hyphens that can be copied, and no control characters of roff. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`;
}
