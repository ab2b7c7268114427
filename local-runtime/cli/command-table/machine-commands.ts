import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT, parseColor, SERVICE_OPTION } from './options.ts';

const OPTIONS = { ...CONFIGURATION, ...JSON_OUTPUT };
const VALID = { 0: 'the configuration is valid' };
const PRECEDENCE = [
  'The file overrides the defaults, the environment overrides the file, and --set overrides both.',
  'IMAGE_BRIDGE__SERVER__BIND, for example, sets server.bind.',
];

/** Commands that check or prepare this machine, or that work on local files without a service. */
export const MACHINE_COMMANDS: readonly Command[] = [
  command({
    name: 'doctor',
    about: 'check everything that the service needs to start',
    details: [
      'Checks configuration, folders, database, locks, port, credentials, image formats, clock and disk.',
      'Changes nothing and calls no provider. Can be used while the service is running.',
    ],
    options: OPTIONS,
    examples: [
      ['doctor', 'print one line for each check, with advice'],
      ['doctor --json', 'print JSON for programs'],
    ],
    exits: { 0: 'no check failed', 1: 'at least one check failed' },
    run: async (call) => (await import('../commands/doctor.ts')).runDoctor(call),
  }),
  command({
    name: 'health',
    about: 'check whether a running service or gateway is ready for requests',
    options: {
      live: { about: 'check only whether the process replies, not whether its provider is ready' },
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
      'Shows every change before the change is made. Never overwrites a file. Can be run again.',
    ],
    options: {
      dryRun: { about: 'show the changes without making them' },
      yes: { short: 'y', about: 'make the changes without asking' },
    },
    examples: [
      ['setup', 'ask before changing anything'],
      ['setup --dry-run', 'show the changes'],
    ],
    exits: { 0: 'success, or nothing to change', 1: 'not all changes were made' },
    run: async (call) => (await import('../commands/setup.ts')).runSetup(call),
  }),
  command({
    name: 'background',
    about: 'make the flat background of an image transparent',
    details: ['Detects the colour at the border of the image. Needs no provider and no service.'],
    arguments: { file: { about: 'PNG, JPEG or WebP image' } },
    options: {
      output: {
        value: 'file',
        short: 'o',
        isRequired: true,
        about: 'output file, a .png or .webp file',
      },
      color: {
        value: '#rrggbb',
        parse: parseColor,
        about: 'colour of the background, instead of the detected colour',
      },
      force: { about: 'overwrite the output file' },
      ...CONFIGURATION,
    },
    examples: [['background egg.jpg -o egg.png', 'remove the background of egg.jpg']],
    exits: { 0: 'the output was written', 1: 'the output was not written' },
    run: async (call) => (await import('../commands/background.ts')).runBackground(call),
  }),
  command({
    name: 'config check',
    about: 'check the configuration',
    details: [
      'Prints every error with its field and source. Also checks the files and keys that a start reads. Changes nothing and prints no secret.',
    ],
    options: OPTIONS,
    examples: [['config check', 'check ./image-bridge.toml and the environment']],
    exits: VALID,
    run: async (call) => (await import('../commands/config.ts')).runConfigCheck(call),
  }),
  command({
    name: 'config show',
    about: 'print every setting with its value',
    details: PRECEDENCE,
    options: OPTIONS,
    examples: [
      ['config show --set server.bind=127.0.0.1:9000', 'show the values with this setting'],
    ],
    exits: VALID,
    run: async (call) => (await import('../commands/config.ts')).runConfigShow(call),
  }),
  command({
    name: 'config origins',
    about: 'print the source of each setting',
    details: PRECEDENCE,
    options: OPTIONS,
    examples: [['config origins', 'print one line for each setting']],
    exits: VALID,
    run: async (call) => (await import('../commands/config.ts')).runConfigOrigins(call),
  }),
  command({
    name: 'schema',
    about: 'print, check or write the OpenAPI document or the JSON Schema of an image request',
    options: {
      kind: {
        value: 'kind',
        choices: ['openapi', 'json'],
        isRequired: true,
        about: 'document: OpenAPI, or the JSON Schema of an image request',
      },
      check: {
        value: 'file',
        excludes: 'write',
        about: 'check that this file is equal to the document',
      },
      write: { value: 'file', about: 'write the document to this file' },
    },
    examples: [
      ['schema --kind openapi', 'print the OpenAPI document'],
      ['schema --kind openapi --check openapi.yaml', 'exit 1 if the file differs'],
    ],
    exits: { 0: 'success', 1: 'the file differs, or cannot be read or written' },
    run: async (call) => (await import('../commands/schema.ts')).runSchema(call),
  }),
];
