import { SLOTS, type Slot } from '../../gateway/coordination.ts';
import type { GatewaySettings } from '../../gateway/gateway.ts';
import type { HandoffBudgets } from '../../gateway/handoff/handoff.ts';
import type { OptionRow, OptionValues } from './command.ts';
import { LISTEN_ADDRESS, ORIGIN, WHOLE_NUMBER } from './options.ts';

/** The defaults of the options of `gateway`. */
export const GATEWAY_DEFAULTS: GatewaySettings & { readonly probeMs: number } = {
  holdMs: 35 * 60_000,
  forwardMs: 31 * 60_000,
  idleMs: 60_000,
  probeMs: 500,
  maxBodyBytes: 80 * 1024 * 1024,
  maxHeld: 4096,
};

function number(name: keyof typeof GATEWAY_DEFAULTS, about: string) {
  const value = name.endsWith('Ms') ? 'MS' : 'N';
  return { value, form: WHOLE_NUMBER, about: `${about} (${GATEWAY_DEFAULTS[name]})` } as const;
}

/** The options that `gateway` and `handoff` have in common. */
const DEPLOYMENT = {
  coordination: {
    value: 'FILE',
    isRequired: true,
    about: 'file that contains blue, green or hold',
  },
  blue: { value: 'URL', form: ORIGIN, isRequired: true, about: 'URL of the slot blue' },
  green: { value: 'URL', form: ORIGIN, isRequired: true, about: 'URL of the slot green' },
} as const satisfies Readonly<Record<string, OptionRow>>;

export const GATEWAY_OPTIONS = {
  bind: {
    value: 'HOST:PORT',
    form: LISTEN_ADDRESS,
    isRequired: true,
    about: 'listen address of the gateway',
  },
  ...DEPLOYMENT,
  metricsBind: {
    value: 'HOST:PORT',
    form: LISTEN_ADDRESS,
    about: 'listen address for the metrics of the gateway',
  },
  holdMs: number('holdMs', 'maximum time to hold a request'),
  forwardMs: number('forwardMs', 'maximum time until a slot completes its reply'),
  idleMs: number('idleMs', 'maximum pause within a reply, by the slot or the client'),
  probeMs: number('probeMs', 'interval for reading the file and probing the slot'),
  maxBodyBytes: number('maxBodyBytes', 'maximum size of a request body'),
  maxHeld: number('maxHeld', 'maximum number of held requests'),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type GatewayOptions = OptionValues<typeof GATEWAY_OPTIONS>;

/** The defaults of the options of `handoff`. */
export const HANDOFF_DEFAULTS: HandoffBudgets = {
  drainMs: 31 * 60_000,
  readinessMs: 3 * 60_000,
  marginMs: 45_000,
};

function budget(name: keyof HandoffBudgets, about: string) {
  return {
    value: 'MS',
    form: WHOLE_NUMBER,
    about: `${about} (${HANDOFF_DEFAULTS[name]})`,
  } as const;
}

export const HANDOFF_OPTIONS = {
  ...DEPLOYMENT,
  gateway: { value: 'URL', form: ORIGIN, isRequired: true, about: 'URL of the gateway' },
  to: { value: 'SLOT', choices: SLOTS, about: 'slot to start (default: the inactive slot)' },
  compose: {
    value: 'FILE',
    excludes: 'directory',
    about: 'compose file with the slots as services',
  },
  project: { value: 'NAME', about: 'name of the compose project' },
  blueService: { value: 'NAME', about: 'service of the slot blue (blue)' },
  greenService: { value: 'NAME', about: 'service of the slot green (green)' },
  directory: {
    value: 'DIR',
    about: 'run the slots as processes; write their ids and output to this folder',
  },
  blueCommand: { value: 'COMMAND', about: 'shell command that starts the slot blue' },
  greenCommand: { value: 'COMMAND', about: 'shell command that starts the slot green' },
  drainMs: budget('drainMs', 'maximum time for the active slot to stop'),
  readinessMs: budget('readinessMs', 'maximum time for the new slot to become ready'),
  marginMs: budget('marginMs', 'hold time reserved for rolling back'),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type HandoffOptions = OptionValues<typeof HANDOFF_OPTIONS>;

/** Returns the error for slots with the same address or, with `-service`, the same service; undefined if they differ. */
export function sameSlots(
  { blue, green }: Readonly<Record<Slot, string>>,
  named: '' | '-service',
): string | undefined {
  if (blue !== green) return undefined;
  const what = named === '' ? 'address' : 'service';
  return `--blue${named} and --green${named} name the same ${what}; they must differ`;
}
