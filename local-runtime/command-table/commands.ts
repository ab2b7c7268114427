import type { Command } from './command.ts';
import { CONFIGURATION_COMMANDS } from './configuration-commands.ts';
import { MACHINE_COMMANDS } from './machine-commands.ts';
import { SERVE_COMMANDS } from './serve-commands.ts';
import { STORED_COMMANDS } from './stored-commands.ts';

/** The commands: the only source of the parser, the help, the completions and the manual page. */
export const COMMANDS: readonly Command[] = [
  ...SERVE_COMMANDS,
  ...MACHINE_COMMANDS,
  ...CONFIGURATION_COMMANDS,
  ...STORED_COMMANDS,
];

/** What the commands of each first word have in common. */
export const GROUPS: Readonly<Record<string, string>> = {
  config: 'check or print the configuration',
  state: 'check, copy, replace or migrate the database',
  artifacts: 'the stored images',
  metadata: 'how images were made',
};
