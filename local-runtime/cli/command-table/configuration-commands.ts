import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT } from './options.ts';

const OPTIONS = { ...CONFIGURATION, ...JSON_OUTPUT };
const EXITS = { 0: 'the configuration is valid' };
const PRECEDENCE = [
  'The file overrides the defaults, the environment overrides the file, and --set overrides both.',
  'IMAGE_BRIDGE__SERVER__BIND, for example, sets server.bind.',
];

export const CONFIGURATION_COMMANDS: readonly Command[] = [
  command({
    name: 'config check',
    about: 'check the configuration',
    details: [
      'Prints every error with its field and source. Changes nothing and reads no secrets.',
    ],
    options: OPTIONS,
    examples: [['config check', 'check ./image-bridge.toml and the environment']],
    exits: EXITS,
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
    exits: EXITS,
    run: async (call) => (await import('../commands/config.ts')).runConfigShow(call),
  }),
  command({
    name: 'config origins',
    about: 'print the source of each setting',
    details: PRECEDENCE,
    options: OPTIONS,
    examples: [['config origins', 'print one line for each setting']],
    exits: EXITS,
    run: async (call) => (await import('../commands/config.ts')).runConfigOrigins(call),
  }),
  command({
    name: 'schema',
    about: 'print, check or write the generated documents',
    options: {
      kind: {
        value: 'kind',
        choices: ['openapi', 'json'],
        isRequired: true,
        about: 'the OpenAPI document, or the JSON Schema of a request',
      },
      check: { value: 'file', excludes: 'write', about: 'compare this file with the document' },
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
