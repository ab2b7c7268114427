import type { Config } from '../config/settings/settings.ts';
import { createSqliteInspection } from './sqlite/state-inspection.ts';
import type { StateInspection } from './state-inspection-port.ts';
import type { Environment } from './stores.ts';

/** Returns the inspection of the configured state. Opens nothing. */
export function inspectState({ state }: Pick<Config, 'state'>, _env: Environment): StateInspection {
  return createSqliteInspection(state);
}
