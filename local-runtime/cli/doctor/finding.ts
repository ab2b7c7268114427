import type { Config } from '../../../lib/config/settings/settings.ts';
import type { Clock } from '../../../lib/platform/clock.ts';

/** The result of one check. */
export interface Finding {
  /** The thing that was checked: a setting, or a part of the machine. */
  readonly check: string;
  readonly level: 'good' | 'warning' | 'bad';
  /** The result, without a full stop. */
  readonly message: string;
  /** The advice: a sentence or a command. */
  readonly advice?: string;
}

/** The values that the checks use. */
export interface Examined {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function good(check: string, message: string): Finding {
  return { check, level: 'good', message };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, level: 'warning', message, advice };
}

export function bad(check: string, message: string, advice: string): Finding {
  return { check, level: 'bad', message, advice };
}
