import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT } from './configuration-options.ts';
import { SERVICE_OPTION } from './service-options.ts';
import { WHOLE_NUMBER } from './value-form.ts';

const NAME = { name: { about: 'the name of the token' } };
const EXITS = { 0: 'done', 1: 'nothing was changed' };

/** Who may use the bridge, and how much. */
export const TOKEN_COMMANDS: readonly Command[] = [
  command({
    name: 'tokens add',
    about: 'make a named token and print it, this once',
    details: [
      'Changes the file of server.tokens_file, which a running bridge reads again at once.',
      'Permissions: images, jobs, read, presets, metrics, diagnostics, admin.',
      'Without the option it has all but admin.',
    ],
    arguments: NAME,
    options: {
      imagesPerDay: {
        value: 'COUNT',
        form: WHOLE_NUMBER,
        about: 'how many images it may ask for in one UTC day',
      },
      permissions: {
        value: 'LIST',
        isRepeated: true,
        about: 'what it may do, such as images,read',
      },
      expires: { value: 'DATE', about: 'when it stops being valid' },
      ...CONFIGURATION,
    },
    examples: [
      ['tokens add alice', 'prints the token of alice'],
      ['tokens add ci --images-per-day 100 --permissions jobs,read', 'with less than everything'],
    ],
    exits: EXITS,
    load: async () => (await import('../commands/tokens.ts')).runTokensAdd,
  }),
  command({
    name: 'tokens rotate',
    about: 'replace a token by a new one of the same owner, and print it, this once',
    details: ['History, artifacts, allowance and usage stay. The old token is refused at once.'],
    arguments: NAME,
    options: CONFIGURATION,
    examples: [['tokens rotate alice', 'prints the new token of alice']],
    exits: EXITS,
    load: async () => (await import('../commands/tokens.ts')).runTokensRotate,
  }),
  command({
    name: 'tokens list',
    about: 'list the named tokens, without the tokens themselves',
    options: { ...JSON_OUTPUT, ...CONFIGURATION },
    examples: [['tokens list', 'who may do what']],
    exits: { 0: 'done', 1: 'the file cannot be used' },
    load: async () => (await import('../commands/tokens.ts')).runTokensList,
  }),
  command({
    name: 'tokens disable',
    about: 'refuse a token from now on, and keep its history',
    details: [
      'Requests that have begun are completed. To enable it again, remove disabled from the file.',
    ],
    arguments: NAME,
    options: CONFIGURATION,
    examples: [['tokens disable alice', 'her next request is refused']],
    exits: EXITS,
    load: async () => (await import('../commands/tokens.ts')).runTokensDisable,
  }),
  command({
    name: 'tokens remove',
    about: 'remove a token',
    details: [
      'What it has queued and running is cancelled within seconds. Its history can no longer be read',
      'and expires as configured. A new token of the same name has a usage and a history of its own.',
    ],
    arguments: NAME,
    options: CONFIGURATION,
    examples: [['tokens remove alice', 'it cannot be undone']],
    exits: EXITS,
    load: async () => (await import('../commands/tokens.ts')).runTokensRemove,
  }),
  command({
    name: 'usage',
    about: 'show how many images the token got, day by day',
    options: {
      days: {
        value: 'COUNT',
        form: WHOLE_NUMBER,
        about: 'how many days, at most 366; 30 without it',
      },
      ...JSON_OUTPUT,
      ...SERVICE_OPTION,
    },
    examples: [['usage --days 7', 'of the last week, with what is left today']],
    exits: { 0: 'done', 1: 'the service refused', 4: 'no service can be reached' },
    load: async () => (await import('../commands/usage.ts')).runUsage,
  }),
];
