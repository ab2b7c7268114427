import type { OptionRow, OptionValues } from '../command-table/command.ts';
import { ORIGIN, WHOLE_NUMBER } from '../command-table/value-form.ts';
import { SLOTS } from '../gateway/coordination-file.ts';
import { DEPLOYMENT } from '../gateway/gateway-options.ts';
import type { HandoffBudgets } from './handoff.ts';

/** What holds unless an option says otherwise. */
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
  gateway: { value: 'URL', form: ORIGIN, isRequired: true, about: 'where the gateway listens' },
  to: { value: 'SLOT', choices: SLOTS, about: 'the slot to start; the one that does not serve' },
  compose: {
    value: 'FILE',
    excludes: 'directory',
    about: 'the slots are services of this compose file',
  },
  project: { value: 'NAME', about: 'the name of the compose project' },
  blueService: { value: 'NAME', about: 'the service of the slot blue (blue)' },
  greenService: { value: 'NAME', about: 'the service of the slot green (green)' },
  directory: {
    value: 'DIR',
    about: 'the slots are processes, whose ids and output are written here',
  },
  blueCommand: { value: 'COMMAND', about: 'what starts the slot blue: one command of a shell' },
  greenCommand: { value: 'COMMAND', about: 'what starts the slot green' },
  drainMs: budget('drainMs', 'how long the slot that serves may take to end'),
  readinessMs: budget('readinessMs', 'how long the new slot may take to become ready'),
  marginMs: budget('marginMs', 'what is left of the hold for a return to the previous slot'),
} as const satisfies Readonly<Record<string, OptionRow>>;

export type HandoffOptions = OptionValues<typeof HANDOFF_OPTIONS>;
