import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, sleep } from '../../lib/platform/clock.ts';
import { readCoordination, type Target } from './coordination-file.ts';

interface Deps {
  readonly path: string;
  readonly clock: Clock;
  /** How often the file is read even without a notice of a change, which some file systems never give. */
  readonly pollMs: number;
}

export interface Coordination {
  /** What the file said when it was last read. */
  target(): Target;
  /** Calls the listener after each change, in the order of the calls of this function. */
  onChange(listener: (target: Target) => void): void;
  /** Reads the file now. */
  refresh(): Promise<Target>;
  close(): Promise<void>;
}

/** Follows the coordination file. It has been read once when this resolves. */
export async function openCoordination({ path, clock, pollMs }: Deps): Promise<Coordination> {
  const closing = new AbortController();
  const listeners: ((target: Target) => void)[] = [];
  let target = await readCoordination(path);
  let reading = Promise.resolve(target);

  /** One read after the other: an older one must not replace what a newer one has found. */
  function refresh(): Promise<Target> {
    reading = reading.then(async () => {
      const found = await readCoordination(path);
      if (found !== target && !closing.signal.aborted) {
        target = found;
        for (const listener of listeners) listener(found);
      }
      return found;
    });
    return reading;
  }

  async function poll(): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(clock, pollMs, closing.signal).catch(() => {});
      await refresh();
    }
  }

  const watcher = watchFile(path, () => void refresh());
  const polling = poll();
  return {
    target: () => target,
    onChange: (listener) => listeners.push(listener),
    refresh,
    async close() {
      closing.abort();
      watcher?.close();
      await polling;
    },
  };
}

/** Watches the folder: a file that is replaced is another one. Undefined where that is not possible. */
function watchFile(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) onChange();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
