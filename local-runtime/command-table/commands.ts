import type { Command } from './command.ts';
import { CONFIGURATION_COMMANDS } from './configuration-commands.ts';
import { IMAGE_COMMANDS } from './image-commands.ts';
import { MACHINE_COMMANDS } from './machine-commands.ts';
import { RESOURCE_COMMANDS } from './resource-commands.ts';
import { SERVE_COMMANDS } from './serve-commands.ts';
import { STORED_COMMANDS } from './stored-commands.ts';

/** The commands: the only source of the parser, the help, the completions and the manual page. */
export const COMMANDS: readonly Command[] = [
  ...SERVE_COMMANDS,
  ...IMAGE_COMMANDS,
  ...RESOURCE_COMMANDS,
  ...MACHINE_COMMANDS,
  ...CONFIGURATION_COMMANDS,
  ...STORED_COMMANDS,
];

/** What the commands of each first word have in common. */
export const GROUPS: Readonly<Record<string, string>> = {
  config: 'check or print the configuration',
  state: 'check, copy, replace or migrate the database',
  jobs: 'list, show, follow and change jobs',
  presets: 'list, show, save and delete presets',
  sessions: 'show and delete sessions',
  providers: 'list providers, and show what their models can do',
  artifacts: 'list, show, fetch and verify stored images',
  metadata: 'how images were made',
};
