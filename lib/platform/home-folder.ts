import { homedir } from 'node:os';

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
