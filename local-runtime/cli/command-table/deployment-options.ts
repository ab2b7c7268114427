import type { Slot } from '../../gateway/coordination.ts';
import type { OptionRow, OptionValues } from './command.ts';
import { parseListenAddress, parseOrigin, parseWholeNumber, SLOTS } from './options.ts';

function limit<const Unit extends string>(value: Unit, about: string, byDefault: number) {
  return { value, parse: parseWholeNumber, default: byDefault, about } as const;
}

/** The options that `gateway` and `handoff` share. */
const DEPLOYMENT = {
  coordination: {
    value: 'file',
    isRequired: true,
    about: 'file that contains blue, green or hold',
  },
  blue: { value: 'url', parse: parseOrigin, isRequired: true, about: 'URL of the slot blue' },
  green: { value: 'url', parse: parseOrigin, isRequired: true, about: 'URL of the slot green' },
} as const satisfies Readonly<Record<string, OptionRow>>;

export const GATEWAY_OPTIONS = {
  bind: {
    value: 'host:port',
    parse: parseListenAddress,
    isRequired: true,
    about: 'listen address of the gateway',
  },
  ...DEPLOYMENT,
  metricsBind: {
    value: 'host:port',
    parse: parseListenAddress,
    about: 'listen address for the metrics of the gateway',
  },
  holdMs: limit('ms', 'maximum time to hold a request', 35 * 60_000),
  forwardMs: limit('ms', 'maximum time until a slot completes its reply', 31 * 60_000),
  idleMs: limit('ms', 'maximum pause within a reply, by the slot or the client', 60_000),
  probeMs: limit('ms', 'interval for reading the file and probing the slot', 500),
  maxBodyBytes: limit('bytes', 'maximum size of a request body', 80 * 1024 * 1024),
  maxHeld: limit('count', 'maximum number of held requests', 4096),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type GatewayOptions = OptionValues<typeof GATEWAY_OPTIONS>;

export const HANDOFF_OPTIONS = {
  ...DEPLOYMENT,
  gateway: { value: 'url', parse: parseOrigin, isRequired: true, about: 'URL of the gateway' },
  to: { value: 'slot', choices: SLOTS, about: 'slot to start, by default the inactive slot' },
  compose: {
    value: 'file',
    excludes: 'directory',
    about: 'compose file with the slots as services',
  },
  project: { value: 'name', about: 'name of the compose project' },
  blueService: { value: 'name', default: 'blue', about: 'service of the slot blue' },
  greenService: { value: 'name', default: 'green', about: 'service of the slot green' },
  directory: {
    value: 'dir',
    about: 'run the slots as processes; write their ids and output to this folder',
  },
  blueCommand: { value: 'command', about: 'shell command that starts the slot blue' },
  greenCommand: { value: 'command', about: 'shell command that starts the slot green' },
  drainMs: limit('ms', 'maximum time for the active slot to stop', 31 * 60_000),
  readinessMs: limit('ms', 'maximum time for the new slot to become ready', 3 * 60_000),
  marginMs: limit('ms', 'hold time reserved for rolling back', 45_000),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type HandoffOptions = OptionValues<typeof HANDOFF_OPTIONS>;

/**
 * Returns the error for two slots with the same address or, with `-service`, the same service. Returns undefined if the
 * slots differ.
 */
export function sameSlots(
  { blue, green }: Readonly<Record<Slot, string>>,
  named: '' | '-service',
): string | undefined {
  if (blue !== green) return undefined;
  const what = named === '' ? 'address' : 'service';
  return `--blue${named} and --green${named} name the same ${what}; they must differ`;
}
