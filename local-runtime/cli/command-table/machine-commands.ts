import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT, parseColor, SERVICE_OPTION } from './options.ts';

/** Commands that check this machine, prepare it, or work on local files without a service. */
export const MACHINE_COMMANDS: readonly Command[] = [
  command({
    name: 'doctor',
    about: 'check everything that the service needs to start',
    details: [
      'Checks configuration, folders, database, locks, port, credentials, image formats, clock and disk.',
      'Changes nothing and calls no provider. The service may be running.',
    ],
    options: { ...CONFIGURATION, ...JSON_OUTPUT },
    examples: [
      ['doctor', 'print one line for each check, with advice'],
      ['doctor --json', 'print JSON for programs'],
    ],
    exits: { 0: 'no check failed', 1: 'at least one check failed' },
    run: async (call) => (await import('../commands/doctor.ts')).runDoctor(call),
  }),
  command({
    name: 'health',
    about: 'check whether a running service or gateway is ready',
    options: {
      live: { about: 'check only whether the process answers, not its provider' },
      ...SERVICE_OPTION,
      ...CONFIGURATION,
    },
    examples: [
      ['health', 'check the service that this folder configures'],
      ['health --live', 'use as the health check of a container'],
    ],
    exits: {
      0: 'the service is ready, or is running with --live',
      1: 'the service is running but not ready',
      4: 'no service can be reached',
    },
    run: async (call) => (await import('../commands/health.ts')).runHealth(call),
  }),
  command({
    name: 'setup',
    about: 'prepare this machine, step by step',
    details: [
      "Looks for the agent's login and proposes a configuration and folders in the XDG locations.",
      'Shows every change before making it. Never overwrites a file and can be run again.',
    ],
    options: {
      dryRun: { about: 'show the changes without making them' },
      yes: { short: 'y', about: 'make the changes without asking' },
    },
    examples: [
      ['setup', 'ask before changing anything'],
      ['setup --dry-run', 'show the changes'],
    ],
    exits: { 0: 'success, or nothing to change', 1: 'no changes or only some changes were made' },
    run: async (call) => (await import('../commands/setup.ts')).runSetup(call),
  }),
  command({
    name: 'background',
    about: 'make the flat background of an image transparent',
    details: ['Detects the colour at the border. Runs locally, without a provider or a service.'],
    arguments: { file: { about: 'the PNG, JPEG or WebP image' } },
    options: {
      output: { value: 'file', short: 'o', isRequired: true, about: 'output file, .png or .webp' },
      color: {
        value: '#rrggbb',
        parse: parseColor,
        about: 'background colour instead of the detected colour',
      },
      force: { about: 'overwrite the output file' },
      ...CONFIGURATION,
    },
    examples: [['background egg.jpg -o egg.png', 'remove the background of egg.jpg']],
    exits: { 0: 'the output was written', 1: 'the output was not written' },
    run: async (call) => (await import('../commands/background.ts')).runBackground(call),
  }),
];
