import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, sleep } from '../../lib/platform/clock.ts';
import { readRegularFile } from '../../lib/platform/regular-file.ts';

/** The two slots of a deployment. Only one of them runs. */
export const SLOTS = ['blue', 'green'] as const;

export type Slot = (typeof SLOTS)[number];

/** The destination of new requests: a slot, or `hold` if the gateway must hold the requests. */
export type Target = Slot | 'hold';

interface Deps {
  readonly path: string;
  readonly clock: Clock;
  /** The interval at which the file is read, in milliseconds. Needed because some file systems never report changes. */
  readonly pollMs: number;
}

export type Coordination = Awaited<ReturnType<typeof openCoordination>>;

/** Watches the coordination file. Resolves after the first read. */
export async function openCoordination({ path, clock, pollMs }: Deps) {
  const closing = new AbortController();
  const listeners: ((target: Target) => void)[] = [];
  let target = await readCoordination(path);
  let reading = Promise.resolve(target);

  /**
   * Reads the file now and resolves with its target. Runs one read at a time, so that an older read never replaces the result
   * of a newer read.
   */
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
    /** Returns the target that the latest read of the file found. */
    target: () => target,
    /** Adds a listener for changes. Listeners are called in the order in which they were added. */
    onChange: (listener: (target: Target) => void) => void listeners.push(listener),
    refresh,
    async close(): Promise<void> {
      closing.abort();
      watcher?.close();
      await polling;
    },
  };
}

/**
 * Watches the folder of the file, because a watched file would no longer be found after its replacement. Returns undefined if
 * the folder cannot be watched.
 */
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

// Larger than the longest valid content: a value and a line break.
const MAX_BYTES = 16;

/** Reads the coordination file. Any content other than the exact name of a slot means `hold`. */
export async function readCoordination(path: string): Promise<Target> {
  const found = await readRegularFile(path, { maxBytes: MAX_BYTES });
  return 'bytes' in found ? toTarget(found.bytes.toString('latin1')) : 'hold';
}

function toTarget(text: string): Target {
  const value = text.replace(/\r?\n$/, '');
  return SLOTS.find((slot) => slot === value) ?? 'hold';
}
