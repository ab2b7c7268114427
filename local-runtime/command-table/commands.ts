import { type CommandTable, command } from './command.ts';
import { CONFIGURATION_COMMANDS } from './configuration-commands.ts';
import { IMAGE_COMMANDS } from './image-commands.ts';
import { MACHINE_COMMANDS } from './machine-commands.ts';
import { RESOURCE_COMMANDS } from './resource-commands.ts';
import { SERVE_COMMANDS } from './serve-commands.ts';
import { STORED_COMMANDS } from './stored-commands.ts';
import { TOKEN_COMMANDS } from './token-commands.ts';

/** Needs the whole table, and is therefore a row of this file. */
const COMPLETIONS = command({
  name: 'completions',
  about: 'print completions for a shell',
  arguments: { shell: { choices: ['bash', 'zsh', 'fish'], about: 'the shell' } },
  examples: [
    ['completions bash >> ~/.bash_completion', 'for bash'],
    ['completions zsh > ~/.zfunc/_image-bridge', 'for zsh, with ~/.zfunc in its fpath'],
    ['completions fish > ~/.config/fish/completions/image-bridge.fish', 'for fish'],
  ],
  exits: { 0: 'done' },
  load: async () => {
    const { runCompletions } = await import('../commands/completions.ts');
    return (call) => runCompletions(call, COMMAND_TABLE);
  },
});

/** The commands: the only source of the parser, the help, the completions and the manual page. */
export const COMMAND_TABLE: CommandTable = {
  commands: [
    ...SERVE_COMMANDS,
    ...IMAGE_COMMANDS,
    ...RESOURCE_COMMANDS,
    ...MACHINE_COMMANDS,
    ...CONFIGURATION_COMMANDS,
    ...TOKEN_COMMANDS,
    ...STORED_COMMANDS,
    COMPLETIONS,
  ],

  groups: {
    config: 'check or print the configuration',
    state: 'check, copy, replace or migrate the database',
    jobs: 'list, show, follow and change jobs',
    queue: 'show, pause and resume the queue of jobs',
    presets: 'list, show, save and delete presets',
    sessions: 'show and delete sessions',
    providers: 'list providers, and show what their models can do',
    artifacts: 'list, show, fetch and verify stored images',
    tokens: 'make, replace, list and end named tokens',
    metadata: 'how images were made',
  },
};
