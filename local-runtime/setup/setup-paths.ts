import { join } from 'node:path';
import { homeFolder, userFolder } from '../../lib/platform/home-folder.ts';

interface SetupPaths {
  readonly config: string;
  readonly state: string;
  readonly artifacts: string;
}

const NAME = 'image-bridge';

/** Where a user's files belong (XDG Base Directory Specification 0.8); a relative path in a variable is ignored. */
export function setupPaths(env: Readonly<Record<string, string | undefined>>): SetupPaths {
  const home = homeFolder(env);
  const folder = (variable: string, ...usual: readonly string[]) =>
    userFolder(env, variable, { home, usual });
  return {
    config: join(folder('XDG_CONFIG_HOME', '.config'), NAME, `${NAME}.toml`),
    state: join(folder('XDG_STATE_HOME', '.local', 'state'), NAME),
    artifacts: join(folder('XDG_DATA_HOME', '.local', 'share'), NAME, 'artifacts'),
  };
}
