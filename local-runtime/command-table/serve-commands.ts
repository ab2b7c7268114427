import { GATEWAY_OPTIONS } from '../gateway/gateway-options.ts';
import { HANDOFF_OPTIONS } from '../handoff/handoff-options.ts';
import { type Command, command } from './command.ts';
import { CONFIGURATION } from './configuration-options.ts';
import { SERVICE_OPTION } from './service-options.ts';

const EXITS = { 0: 'it was stopped in order', 1: 'it cannot start' };
const LOCK_EXITS = { ...EXITS, 3: 'another process holds server.activation_lock' };
const OPTIONS = {
  ...CONFIGURATION,
  noWait: { about: 'ends when another process holds server.activation_lock' },
} as const;

export const SERVE_COMMANDS: readonly Command[] = [
  command({
    name: 'quickstart',
    about: 'serve at once, with the provider that needs nothing',
    details: [
      'The sandbox provider generates images on this machine, without a network or an account.',
      'A configuration overrides it.',
    ],
    options: OPTIONS,
    examples: [
      ['quickstart', 'listens on 127.0.0.1:8787'],
      ['quickstart --set server.bind=127.0.0.1:9000', 'listens on another port'],
    ],
    exits: LOCK_EXITS,
    load: async () => (await import('../commands/quickstart.ts')).runQuickstart,
  }),
  command({
    name: 'serve',
    about: 'serve with the configured providers',
    details: ['Waits while another process holds server.activation_lock, if that is set.'],
    options: OPTIONS,
    examples: [
      ['serve', 'uses ./image-bridge.toml if there is one'],
      ['serve --config /etc/image-bridge.toml', 'uses another file'],
    ],
    exits: LOCK_EXITS,
    load: async () => (await import('../commands/serve.ts')).runServe,
  }),
  command({
    name: 'gateway',
    about: 'keep requests while one slot of a deployment replaces the other',
    details: [
      'Sends every request to the slot that the coordination file names, and holds it while that says hold.',
      'Has no credentials and no storage. Numbers in brackets are defaults; MS are milliseconds.',
    ],
    options: GATEWAY_OPTIONS,
    examples: [
      [
        'gateway --bind 127.0.0.1:8787 --coordination target --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789',
        'listens before two slots',
      ],
    ],
    exits: EXITS,
    load: async () => (await import('../commands/gateway.ts')).runGateway,
  }),
  command({
    name: 'dashboard',
    about: 'open the dashboard, and serve it if no service runs',
    details: [
      'Where none runs, it serves as quickstart does until Ctrl+C stops it.',
      'The address is printed; a browser is opened where this user has a screen.',
    ],
    options: { ...SERVICE_OPTION, ...CONFIGURATION },
    examples: [['dashboard', 'of the service that this folder configures']],
    exits: {
      ...EXITS,
      0: 'it was opened, or the service was stopped in order',
      4: 'no service can be reached at --url',
    },
    load: async () => (await import('../commands/dashboard.ts')).runDashboard,
  }),
  command({
    name: 'mcp',
    about: 'give the tools to an agent over standard input and output',
    details: [
      'Speaks the Model Context Protocol.',
      'Uses the service that runs; where none does, it serves as quickstart does.',
      'An agent may name image files below the working directory.',
    ],
    options: { ...SERVICE_OPTION, ...CONFIGURATION },
    examples: [['mcp', 'is what an agent is configured to start']],
    exits: {
      0: 'the agent has closed it',
      1: 'the service that it has started did not stop in order',
    },
    load: async () => (await import('../commands/mcp.ts')).runMcp,
  }),
  command({
    name: 'handoff',
    about: 'replace the slot that serves by the other one, without losing a request',
    details: [
      'The gateway holds requests while one slot ends and the other one starts and becomes ready.',
      'If that fails, the previous slot is started again.',
      'After an interruption, run it again: it continues. Where no slot serves, run it with --to.',
      'Numbers in brackets are defaults; MS are milliseconds.',
    ],
    options: HANDOFF_OPTIONS,
    examples: [
      [
        'handoff --coordination target --gateway http://127.0.0.1:8787 --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789 --compose compose.yaml',
        'the slots are the services blue and green',
      ],
    ],
    exits: {
      0: 'the new slot serves',
      1: 'it failed, and what served before serves',
      3: 'another handoff runs',
      4: 'requests are held: no slot could be started, or the gateway does not read the file',
    },
    load: async () => (await import('../commands/handoff.ts')).runHandoff,
  }),
];
