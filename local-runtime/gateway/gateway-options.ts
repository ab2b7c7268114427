import type { OptionRow, OptionValues } from '../command-table/command.ts';
import { LISTEN_ADDRESS, ORIGIN, WHOLE_NUMBER } from '../command-table/value-form.ts';
import type { GatewaySettings } from './gateway.ts';

/** What holds unless an option says otherwise. */
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

/** The files and addresses that a gateway and a handoff share. */
export const DEPLOYMENT = {
  coordination: {
    value: 'FILE',
    isRequired: true,
    about: 'the file that says blue, green or hold',
  },
  blue: { value: 'URL', form: ORIGIN, isRequired: true, about: 'where the slot blue listens' },
  green: { value: 'URL', form: ORIGIN, isRequired: true, about: 'where the slot green listens' },
} as const satisfies Readonly<Record<string, OptionRow>>;

export const GATEWAY_OPTIONS = {
  bind: {
    value: 'HOST:PORT',
    form: LISTEN_ADDRESS,
    isRequired: true,
    about: 'where the gateway listens',
  },
  ...DEPLOYMENT,
  metricsBind: {
    value: 'HOST:PORT',
    form: LISTEN_ADDRESS,
    about: 'where the own metrics are served, if anywhere',
  },
  holdMs: number('holdMs', 'how long one request is held'),
  forwardMs: number('forwardMs', 'how long a slot may take to reply in full'),
  idleMs: number('idleMs', 'how long a reply may pause, at the slot or at the client'),
  probeMs: number('probeMs', 'how often the file is read and the slot is asked'),
  maxBodyBytes: number('maxBodyBytes', 'the largest request body'),
  maxHeld: number('maxHeld', 'how many requests are held at once'),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type GatewayOptions = OptionValues<typeof GATEWAY_OPTIONS>;
