import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT } from './configuration-options.ts';
import { SERVICE_OPTION } from './service-options.ts';
import { COLOR } from './value-form.ts';

/** What looks at this machine, prepares it, or works on its files without a service. */
export const MACHINE_COMMANDS: readonly Command[] = [
  command({
    name: 'doctor',
    about: 'check everything that a start needs',
    details: [
      'Configuration, folders, database, locks, port, credentials, image formats, clock and disk.',
      'Changes nothing and uses no provider. A bridge may be running.',
    ],
    options: { ...CONFIGURATION, ...JSON_OUTPUT },
    examples: [
      ['doctor', 'one line a check, with what to do about it'],
      ['doctor --json', 'for programs'],
    ],
    exits: { 0: 'nothing is bad', 1: 'something is bad' },
    load: async () => (await import('../commands/doctor.ts')).runDoctor,
  }),
  command({
    name: 'health',
    about: 'check whether a running service or gateway is ready',
    options: {
      live: { about: 'only whether it runs, whatever its provider says' },
      ...SERVICE_OPTION,
      ...CONFIGURATION,
    },
    examples: [
      ['health', 'of the service that this folder configures'],
      ['health --live', 'for the health check of a container'],
    ],
    exits: {
      0: 'it is ready, or with --live it runs',
      1: 'it runs and is not ready',
      4: 'no service can be reached',
    },
    load: async () => (await import('../commands/health.ts')).runHealth,
  }),
  command({
    name: 'setup',
    about: 'prepare this machine, step by step',
    details: [
      "Finds the agent's login and proposes a configuration and folders in the places of XDG.",
      'Shows every change before it is made. Never overwrites a file; may be run again.',
    ],
    options: {
      dryRun: { about: 'shows the changes and makes none' },
      yes: { short: 'y', about: 'makes the changes without a question' },
    },
    examples: [
      ['setup', 'asks before it changes anything'],
      ['setup --dry-run', 'shows what it would do'],
    ],
    exits: { 0: 'done, or nothing was to be done', 1: 'nothing or not everything was changed' },
    load: async () => (await import('../commands/setup.ts')).runSetup,
  }),
  command({
    name: 'background',
    about: 'make the flat background of an image transparent, on this machine',
    details: ['The colour is found at the border. No provider is used, and no service needed.'],
    arguments: { file: { about: 'a PNG, JPEG or WebP image' } },
    options: {
      output: { value: 'FILE', short: 'o', isRequired: true, about: 'a .png or .webp file' },
      color: {
        value: '#RRGGBB',
        form: COLOR,
        about: 'the background, instead of the one that is found',
      },
      force: { about: 'replaces the output if it exists' },
      ...CONFIGURATION,
    },
    examples: [['background egg.jpg -o egg.png', 'cuts the egg out']],
    exits: { 0: 'the output was written', 1: 'it was not' },
    load: async () => (await import('../commands/background.ts')).runBackground,
  }),
];
