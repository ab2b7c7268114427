import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Returns a folder for a user's files, such as the one that `XDG_CONFIG_HOME` names (XDG Base Directory Specification 0.8):
 * `usual` below `home` unless the variable holds an absolute path.
 */
export function userFolder(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  { home, usual }: { readonly home: string; readonly usual: readonly string[] },
): string {
  const named = env[variable] ?? '';
  return isAbsolute(named) ? named : join(home, ...usual);
}

/** The home of the user that runs this process; the root folder for a user that the system knows only by number. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  // A variable that is set to nothing is as good as unset.
  if (env['HOME']) return env['HOME'];
  try {
    return homedir();
  } catch {
    return '/';
  }
}
