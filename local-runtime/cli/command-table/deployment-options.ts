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
    about: 'coordination file, which contains blue, green or hold',
  },
  blue: { value: 'url', parse: parseOrigin, isRequired: true, about: 'URL of the blue slot' },
  green: { value: 'url', parse: parseOrigin, isRequired: true, about: 'URL of the green slot' },
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
  holdMs: limit('ms', 'maximum time for which a request is held', 35 * 60_000),
  forwardMs: limit('ms', 'maximum time for a slot to complete its reply', 31 * 60_000),
  idleMs: limit('ms', 'maximum pause while a reply is sent or received', 120_000),
  probeMs: limit('ms', 'time between two checks of the file and of the slot', 500),
  maxBodyBytes: limit('bytes', 'maximum size of a request body', 80 * 1024 * 1024),
  maxHeld: limit('count', 'maximum number of held requests', 4096),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type GatewayOptions = OptionValues<typeof GATEWAY_OPTIONS>;

export const HANDOFF_OPTIONS = {
  ...DEPLOYMENT,
  gateway: { value: 'url', parse: parseOrigin, isRequired: true, about: 'URL of the gateway' },
  to: { value: 'slot', choices: SLOTS, about: 'slot to start (default: the inactive slot)' },
  compose: {
    value: 'file',
    excludes: 'directory',
    about: 'compose file that contains the slots as services',
  },
  project: { value: 'name', about: 'name of the compose project' },
  blueService: { value: 'name', default: 'blue', about: 'compose service of the blue slot' },
  greenService: { value: 'name', default: 'green', about: 'compose service of the green slot' },
  directory: {
    value: 'dir',
    about: 'run the slots as processes, with their ids and output in this folder',
  },
  blueCommand: { value: 'command', about: 'shell command that starts the blue slot' },
  greenCommand: { value: 'command', about: 'shell command that starts the green slot' },
  drainMs: limit('ms', 'maximum time for the active slot to stop', 31 * 60_000),
  readinessMs: limit('ms', 'maximum time for the new slot to become ready', 3 * 60_000),
  marginMs: limit('ms', 'hold time that is reserved for a rollback', 45_000),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type HandoffOptions = OptionValues<typeof HANDOFF_OPTIONS>;

/** Returns the error if both slots have the same address or, for `-service`, the same service. Otherwise returns undefined. */
export function sameSlots(
  { blue, green }: Readonly<Record<Slot, string>>,
  named: '' | '-service',
): string | undefined {
  if (blue !== green) return undefined;
  const what = named === '' ? 'address' : 'service';
  return `--blue${named} and --green${named} name the same ${what}; use two different values`;
}
