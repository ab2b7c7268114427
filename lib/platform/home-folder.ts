import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Returns a folder for files of a user, such as the configuration folder (XDG Base Directory Specification 0.8). Returns the
 * value of the environment variable if the value is an absolute path, otherwise the path `usual` below `home`.
 */
export function userFolder(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  { home, usual }: { readonly home: string; readonly usual: readonly string[] },
): string {
  const named = env[variable] ?? '';
  return isAbsolute(named) ? named : join(home, ...usual);
}

/** Returns the home folder of the user that runs this process, or the root folder if the system does not know the user. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  // An empty variable counts as unset.
  if (env['HOME']) return env['HOME'];
  try {
    return homedir();
  } catch {
    return '/';
  }
}
