import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { isStampSettled, toFileStamp } from '../platform/file-stamp.ts';

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
  let content = read();
  let known = stampOf();
  let refused = '';

  /** Returns the stamp of the files, or an empty string if a later change could have the same stamp. */
  function stampOf(): string {
    const stats = paths.map(statOf);
    return stats.every((it) => it !== undefined && isStampSettled(it, clock)) ? toStamp() : '';
  }

  function toStamp(): string {
    return paths
      .map(statOf)
      .map((it) => (it === undefined ? 'absent' : toFileStamp(it)))
      .join();
  }

  return {
    /** Returns the content of the files. The check for a change takes microseconds. */
    current(): T {
      const stamp = toStamp();
      if (stamp === known || stamp === refused) return content;
      try {
        content = read();
        known = stampOf();
        refused = '';
      } catch (error) {
        refused = stamp;
        onUnusable(error);
      }
      return content;
    },
  };
}

function statOf(path: string) {
  try {
    return statSync(resolve(path), { bigint: true });
  } catch {
    return undefined;
  }
}
