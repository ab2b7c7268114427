import { statSync } from 'node:fs';
import type { Clock } from './clock.ts';
import { isStampSettled, toFileStamp } from './file-stamp.ts';

interface Deps<T> {
  readonly paths: readonly string[];
  /** Reads and checks the files. Throws if the files are unusable. */
  readonly read: () => T;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Called once for each change of the files after which the files are unusable. */
  readonly onUnusable: (error: unknown) => void;
}

/**
 * Reads files, and reads them again after a change. If a change makes the files unusable, such as a half-written file, their
 * earlier content stays in use. Throws the error of `read` if the files are unusable at first.
 */
export function createReloadedFiles<T>({ paths, read, clock, onUnusable }: Deps<T>) {
  // The stamp is older than the content, so that a change during the read is noticed later.
  let seen = look();
  let content = read();
  let reported = '';

  function look() {
    const stats = paths.map((path) => statOf(path));
    return {
      stamp: stats.map((found) => (found === undefined ? 'absent' : toFileStamp(found))).join(),
      isSettled: stats.every((found) => found === undefined || isStampSettled(found, clock)),
    };
  }

  return {
    /** Returns the content of the files. The check for a change takes microseconds. */
    current(): T {
      const now = look();
      if (seen.isSettled && now.stamp === seen.stamp) return content;
      seen = now;
      try {
        content = read();
        reported = '';
      } catch (error) {
        if (now.stamp !== reported) onUnusable(error);
        reported = now.stamp;
      }
      return content;
    },
  };
}

function statOf(path: string) {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}
