import { type Command, command } from './command.ts';
import { CONFIGURATION, JSON_OUTPUT, parseWholeNumber, SERVICE_OPTION } from './options.ts';
import { request } from './resource-commands.ts';

const NAME = { name: { about: 'name of the token' } };
const EXITS = { 0: 'success', 1: 'nothing was changed' };

/** Commands that manage named tokens and show their usage. */
export const TOKEN_COMMANDS: readonly Command[] = [
  command({
    name: 'tokens add',
    about: 'create a named token and print it once',
    details: [
      'Changes the file that server.tokens_file names. A running service reads the file again immediately.',
      'Permissions: images, jobs, read, presets, metrics, diagnostics, admin.',
      'Without --permissions the token has every permission except admin.',
    ],
    arguments: NAME,
    options: {
      imagesPerDay: {
        value: 'count',
        parse: parseWholeNumber,
        about: 'maximum number of images per day (UTC)',
      },
      budgetPerDay: { value: 'amount', about: 'budget in US dollars per day (UTC), such as 2.50' },
      budgetPerMonth: { value: 'amount', about: 'budget in US dollars per month (UTC)' },
      unknownCost: {
        value: 'amount',
        about:
          'US dollars to reserve for an image whose cost is unknown; without this option, such a request is rejected',
      },
      permissions: {
        value: 'list',
        isRepeated: true,
        about: 'permissions of the token, separated by commas, such as images,read',
      },
      expires: { value: 'date', about: 'date or time at which the token expires' },
      ...CONFIGURATION,
    },
    examples: [
      ['tokens add alice', 'create and print the token alice'],
      ['tokens add ci --images-per-day 100 --permissions jobs,read', 'create a limited token'],
      [
        'tokens add bob --budget-per-month 20',
        'create a token that may spend 20 US dollars a month',
      ],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/tokens.ts')).runTokensAdd(call),
  }),
  command({
    name: 'tokens rotate',
    about: 'replace the secret of a named token and print the new token once',
    details: [
      'The owner keeps history, artifacts, allowance and usage. The old token is rejected immediately.',
    ],
    arguments: NAME,
    options: CONFIGURATION,
    examples: [['tokens rotate alice', 'print the new token of alice']],
    exits: EXITS,
    run: async (call) => (await import('../commands/tokens.ts')).runTokensRotate(call),
  }),
  command({
    name: 'tokens list',
    about: 'list named tokens without their secrets',
    options: { ...JSON_OUTPUT, ...CONFIGURATION },
    examples: [['tokens list', 'list tokens with their permissions']],
    exits: { 0: 'success', 1: 'the tokens file cannot be used' },
    run: async (call) => (await import('../commands/tokens.ts')).runTokensList(call),
  }),
  command({
    name: 'tokens disable',
    about: 'disable a token and keep its history',
    details: [
      'Running requests are completed. To enable the token again, remove disabled from its table in the file.',
    ],
    arguments: NAME,
    options: CONFIGURATION,
    examples: [['tokens disable alice', 'reject the next request of alice']],
    exits: EXITS,
    run: async (call) => (await import('../commands/tokens.ts')).runTokensDisable(call),
  }),
  command({
    name: 'tokens remove',
    about: 'remove a token',
    details: [
      'Cancels the queued and running work of the token within seconds. The history of the token can no longer',
      'be read, and expires as configured. A new token with the same name has an empty history and usage.',
    ],
    arguments: NAME,
    options: CONFIGURATION,
    examples: [['tokens remove alice', 'remove permanently']],
    exits: EXITS,
    run: async (call) => (await import('../commands/tokens.ts')).runTokensRemove(call),
  }),
  request({
    name: 'usage',
    about: 'show the images and costs of your token, by day and by model',
    options: {
      all: {
        about: 'show the usage of all tokens, and list the tokens (permission admin)',
      },
      days: {
        value: 'count',
        parse: parseWholeNumber,
        about: 'number of days, at most 366 (default: 30)',
      },
      ...JSON_OUTPUT,
      ...SERVICE_OPTION,
    },
    examples: [
      ['usage --days 7', 'show the last week and the allowance of today'],
      ['usage --all', 'show the images of each token, and the rest of the budgets of today'],
    ],
    query: ({ all, days }) => ({ days, tokens: all ? 'all' : undefined }),
    operation: 'GET /v1/usage',
    shows: 'usage',
  }),
  command({
    name: 'reconcile',
    about: 'compare recorded costs with the charges of a provider, and record the charges',
    details: [
      'The service asks fal and OpenRouter what they have charged for each call. Corrects the usage and the budgets.',
      'For other providers, --csv compares the cost of each day with an invoice: lines such as 2026-11-22,1.25 in US dollars.',
    ],
    arguments: { provider: { about: 'name of the provider' } },
    options: {
      days: {
        value: 'count',
        parse: parseWholeNumber,
        about: 'number of days, at most 90 (default: 7)',
      },
      dryRun: { about: 'compare the costs, and change nothing' },
      csv: { value: 'file', about: 'amounts of an invoice by day' },
      ...JSON_OUTPUT,
      ...SERVICE_OPTION,
    },
    examples: [
      ['reconcile fal --days 30', 'record what fal has charged for the calls of 30 days'],
      ['reconcile openai --csv invoice.csv', 'compare the cost of each day with an invoice'],
    ],
    exits: {
      0: 'all costs are known and equal',
      1: 'costs are unknown or different, or the request failed',
      2: 'the file of --csv cannot be used',
      4: 'no service can be reached',
    },
    run: async (call) => (await import('../commands/reconcile.ts')).runReconcile(call),
  }),
];
