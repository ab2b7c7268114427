import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT } from './configuration-options.ts';

const OPTIONS = { ...CONFIGURATION, ...JSON_OUTPUT };
const EXITS = { 0: 'the configuration is valid' };
const PRECEDENCE = [
  'A default is overridden by the file, the file by the environment, and that by --set.',
  'The variable of server.bind is IMAGE_BRIDGE__SERVER__BIND.',
];

export const CONFIGURATION_COMMANDS: readonly Command[] = [
  command({
    name: 'config check',
    about: 'check the configuration',
    details: [
      'Lists every error with its field and its source. Changes nothing and resolves no secret.',
    ],
    options: OPTIONS,
    examples: [['config check', 'checks ./image-bridge.toml and the environment']],
    exits: EXITS,
    load: async () => (await import('../commands/config.ts')).runConfigCheck,
  }),
  command({
    name: 'config show',
    about: 'print every setting with its value',
    details: PRECEDENCE,
    options: OPTIONS,
    examples: [['config show --set server.bind=127.0.0.1:9000', 'shows what would take effect']],
    exits: EXITS,
    load: async () => (await import('../commands/config.ts')).runConfigShow,
  }),
  command({
    name: 'config origins',
    about: 'print where each setting comes from',
    details: PRECEDENCE,
    options: OPTIONS,
    examples: [['config origins', 'one line a setting']],
    exits: EXITS,
    load: async () => (await import('../commands/config.ts')).runConfigOrigins,
  }),
  command({
    name: 'schema',
    about: 'print, check or write the generated documents',
    options: {
      kind: {
        value: 'KIND',
        choices: ['openapi', 'json'],
        isRequired: true,
        about: 'the OpenAPI document, or the JSON Schema of a request',
      },
      check: { value: 'FILE', excludes: 'write', about: 'compares a file with the document' },
      write: { value: 'FILE', about: 'writes the document to a file' },
    },
    examples: [
      ['schema --kind openapi', 'prints the contract'],
      ['schema --kind openapi --check openapi.yaml', 'fails when the file differs from it'],
    ],
    exits: { 0: 'done', 1: 'the file differs, or cannot be read or written' },
    load: async () => (await import('../commands/schema.ts')).runSchema,
  }),
];
