import { readFileSync, statSync } from 'node:fs';

/**
 * Returns the id of the process that holds a lock on a file, as Linux lists it (proc_locks(5)); undefined where the
 * system has no such list, or hides the process.
 */
export function findLockProcess(path: string): number | undefined {
  try {
    const { ino } = statSync(path);
    const held = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => /^\d+: POSIX +\S+ +\S+ (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line))
      .find((match) => match?.[2] === String(ino));
    const pid = Number(held?.[1] ?? 0);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
