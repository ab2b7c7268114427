import { type Command, command } from './command.ts';
import { IMAGE_COMMANDS } from './image-commands.ts';
import { MACHINE_COMMANDS } from './machine-commands.ts';
import { RESOURCE_COMMANDS } from './resource-commands.ts';
import { SERVE_COMMANDS } from './serve-commands.ts';
import { STORED_COMMANDS } from './stored-commands.ts';
import { TOKEN_COMMANDS } from './token-commands.ts';

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
  async run({ args, io }) {
    io.stdout((await import('../completions.ts')).COMPLETION_SCRIPTS[args.shell]);
    return 0;
  },
});

/** All commands by section. The parser, the help, the completions and the manual page are derived from these rows. */
export const COMMAND_SECTIONS: readonly (readonly [heading: string, readonly Command[]])[] = [
  ['run the service:', SERVE_COMMANDS],
  ['make images:', IMAGE_COMMANDS],
  ['call a running service:', RESOURCE_COMMANDS],
  ['manage tokens:', TOKEN_COMMANDS],
  ['set up and check this machine:', MACHINE_COMMANDS],
  ['work on stored data and files:', STORED_COMMANDS],
  ['other commands:', [COMPLETIONS]],
];

/** The summary of each group of commands by its first word. */
export const GROUPS: Readonly<Record<string, string>> = {
  images: 'change stored images without a model',
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
};
