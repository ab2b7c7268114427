import { type Command, command } from './command.ts';
import { GATEWAY_OPTIONS, HANDOFF_OPTIONS } from './deployment-options.ts';
import { CONFIGURATION, SERVICE_OPTION } from './options.ts';

const EXITS = { 0: 'clean stop', 1: 'the start failed' };
const LOCK_EXITS = { ...EXITS, 3: 'another process holds server.activation_lock' };
const OPTIONS = {
  ...CONFIGURATION,
  noWait: { about: 'exit immediately if another process holds server.activation_lock' },
} as const;

/** Commands that run the service, the gateway, and other programs in front of the service. */
export const SERVE_COMMANDS: readonly Command[] = [
  command({
    name: 'quickstart',
    about: 'start a service with the sandbox provider',
    details: [
      'The sandbox provider generates images on this machine, without a network or an account.',
      'A configuration file, the environment and --set override the settings of this command.',
    ],
    options: OPTIONS,
    examples: [
      ['quickstart', 'listen on 127.0.0.1:8787'],
      ['quickstart --set server.bind=127.0.0.1:9000', 'listen on another port'],
    ],
    exits: LOCK_EXITS,
    run: async (call) => (await import('../commands/serve.ts')).runQuickstart(call),
  }),
  command({
    name: 'serve',
    about: 'start the service with the configured providers',
    details: ['If server.activation_lock is set, waits while another process holds that lock.'],
    options: OPTIONS,
    examples: [
      ['serve', 'use ./image-bridge.toml if it exists'],
      ['serve --config /etc/image-bridge.toml', 'use another file'],
    ],
    exits: LOCK_EXITS,
    run: async (call) => (await import('../commands/serve.ts')).runServe(call),
  }),
  command({
    name: 'gateway',
    about: 'forward requests to the active slot; hold requests during a handoff',
    details: [
      'Forwards requests to the slot that the coordination file names. Holds requests while the file says hold.',
      'Needs no credentials and no storage.',
    ],
    options: GATEWAY_OPTIONS,
    examples: [
      [
        'gateway --bind 127.0.0.1:8787 --coordination target --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789',
        'listen in front of two slots',
      ],
    ],
    exits: EXITS,
    run: async (call) => (await import('../commands/gateway.ts')).runGateway(call),
  }),
  command({
    name: 'dashboard',
    about: 'open the dashboard in a browser',
    details: [
      'If no service is running, starts a service as quickstart does, which runs until Ctrl+C.',
      'Prints the URL, and opens a browser if the user has a graphical session.',
    ],
    options: { ...SERVICE_OPTION, ...CONFIGURATION },
    examples: [['dashboard', 'open the dashboard of the service that this folder configures']],
    exits: {
      ...EXITS,
      0: 'the dashboard was opened, or the service stopped cleanly',
      4: 'no service can be reached at --url',
    },
    run: async (call) => (await import('../commands/dashboard.ts')).runDashboard(call),
  }),
  command({
    name: 'mcp',
    about: 'serve the MCP tools to an agent over standard input and output',
    details: [
      'Speaks the Model Context Protocol.',
      'Uses the running service. If no service is running, starts a service as quickstart does.',
      'The agent can read image files below the working directory.',
    ],
    options: { ...SERVICE_OPTION, ...CONFIGURATION },
    examples: [['mcp', 'configure this command in an agent']],
    exits: {
      0: 'the agent closed the connection',
      1: 'the service started by this command did not stop cleanly',
    },
    run: async (call) => (await import('../commands/mcp.ts')).runMcp(call),
  }),
  command({
    name: 'handoff',
    about: 'replace the active slot with the other slot, without losing requests',
    details: [
      'The gateway holds requests until the active slot has stopped and the other slot is ready.',
      'If the handoff fails, starts the previous slot again.',
      'After an interruption, run the same command again to continue. If no slot is active, use --to.',
    ],
    options: HANDOFF_OPTIONS,
    examples: [
      [
        'handoff --coordination target --gateway http://127.0.0.1:8787 --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789 --compose compose.yaml',
        'hand off between the compose services blue and green',
      ],
    ],
    exits: {
      0: 'the new slot is active',
      1: 'the handoff failed and the previous slot is active',
      3: 'another handoff is running',
      4: 'requests are held: no slot could be started, or the gateway does not read the file',
    },
    run: async (call) => (await import('../commands/handoff.ts')).runHandoff(call),
  }),
];
