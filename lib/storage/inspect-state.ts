import type { Config } from '../config/settings/settings.ts';
import { createSqliteInspection } from './sqlite/state-inspection.ts';
import type { StateInspection } from './state-inspection-port.ts';
import type { Environment } from './stores.ts';

/** Resolves with the inspection of the configured state. Opens nothing. */
export async function inspectState(
  { state }: Pick<Config, 'state'>,
  env: Environment,
): Promise<StateInspection> {
  if (state.driver === 'sqlite') return createSqliteInspection(state);
  // Loaded only if needed, because most bridges use SQLite.
  const { createPostgresInspection } = await import('./postgres/state-inspection.ts');
  return createPostgresInspection(state, env);
}
