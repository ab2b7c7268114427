import { type CommandTable, command } from './command.ts';
import { CONFIGURATION_COMMANDS } from './configuration-commands.ts';
import { IMAGE_COMMANDS } from './image-commands.ts';
import { MACHINE_COMMANDS } from './machine-commands.ts';
import { RESOURCE_COMMANDS } from './resource-commands.ts';
import { SERVE_COMMANDS } from './serve-commands.ts';
import { STORED_COMMANDS } from './stored-commands.ts';
import { TOKEN_COMMANDS } from './token-commands.ts';

/** The command that prints shell completions. It is in this file because it needs the whole table. */
const COMPLETIONS = command({
  name: 'completions',
  about: 'print the completion script of a shell',
  arguments: { shell: { choices: ['bash', 'zsh', 'fish'], about: 'the shell' } },
  examples: [
    ['completions bash >> ~/.bash_completion', 'install for bash'],
    ['completions zsh > ~/.zfunc/_image-bridge', 'install for zsh if ~/.zfunc is in its fpath'],
    ['completions fish > ~/.config/fish/completions/image-bridge.fish', 'install for fish'],
  ],
  exits: { 0: 'success' },
  load: async () => {
    const { runCompletions } = await import('./completions.ts');
    return (call) => runCompletions(call, COMMAND_TABLE);
  },
});

/** All commands. The parser, the help, the completions and the manual page are derived from this table. */
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
    state: 'check, back up, restore or migrate the database',
    jobs: 'list, show, wait for and change jobs',
    queue: 'show, pause and resume the job queue',
    presets: 'list, show, save and delete presets',
    sessions: 'show and delete sessions',
    providers: 'list providers and show the capabilities of models',
    artifacts: 'list, show, download and verify stored images',
    tokens: 'create, rotate, list, disable and remove named tokens',
    metadata: 'show how an image was made',
  },
};
