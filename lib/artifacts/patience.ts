import { BridgeError } from '../errors/bridge-error.ts';
import type { RefusalReason } from '../errors/refusals.ts';
import { type Clock, sleep } from '../platform/clock.ts';
import type { ArtifactFiles } from './artifact-files-port.ts';
import type { ArtifactStore } from './artifact-store-port.ts';

interface Deps {
  readonly clock: Clock;
  /** Called after each failure with the length of the images that wait. Never rejects. */
  readonly onFailure: (bytes: number) => Promise<void>;
  /** Maximum length of all images that wait in memory. */
  readonly maxWaitingBytes?: number | undefined;
}

/** Settles like `work`, but repeats `work` while the store of the files or the state store is unavailable or full. */
export type Outlast = <T>(work: () => Promise<T>) => Promise<T>;

// An outage that is longer loses the images that wait.
const MAX_WAIT_MS = 600_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5000;
const MAX_WAITING_BYTES = 268_435_456;

const FILES_UNAVAILABLE = 'artifact_store_unavailable';
const OUTAGES: ReadonlySet<unknown> = new Set<RefusalReason>([
  FILES_UNAVAILABLE,
  'artifact_folder_full',
  'state_store_busy',
  'state_store_failing',
  'state_store_full',
  'state_store_read_only',
]);

/** Returns true if the store of the files cannot be reached now, although nothing is wrong with the files. */
export function isUnavailable(error: unknown): boolean {
  return outageOf(error) === FILES_UNAVAILABLE;
}

function outageOf(error: unknown): unknown {
  const isOfStore =
    error instanceof BridgeError && (error.code === 'overloaded' || error.code === 'artifact');
  return isOfStore ? error.details['reason'] : undefined;
}

/**
 * Creates the function that lets images outlast an outage of the store of the files or of the state store, because images that are
 * being published were paid for. The total length of the images that wait is limited.
 */
export function createPatience({ clock, onFailure, maxWaitingBytes = MAX_WAITING_BYTES }: Deps) {
  let waitingBytes = 0;

  /** Waits before the next try. Resolves with false if there is no next try. */
  async function pause(pauseMs: number, bytes: number, until: AbortSignal): Promise<boolean> {
    if (until.aborted || waitingBytes + bytes > maxWaitingBytes) return false;
    waitingBytes += bytes;
    try {
      await onFailure(bytes);
      await sleep(clock, pauseMs, until);
      return true;
    } catch {
      return false;
    } finally {
      waitingBytes -= bytes;
    }
  }

  /**
   * Returns the function for images of this total length. When `until` aborts, or after `forMs` and at most ten minutes, the next
   * failure of `work` is thrown.
   */
  return function patienceFor(bytes: number, until: AbortSignal, forMs = MAX_WAIT_MS): Outlast {
    const endMs = clock.monotonicMs() + Math.min(forMs, MAX_WAIT_MS);
    return async (work) => {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        try {
          return await work();
        } catch (error) {
          const mayWait = OUTAGES.has(outageOf(error)) && clock.monotonicMs() + pauseMs < endMs;
          if (!mayWait || !(await pause(pauseMs, bytes, until))) throw error;
        }
      }
    };
  };
}

/** Returns the files of one publication, whose operations outlast an outage. */
export function toPatientFiles(files: ArtifactFiles, outlast: Outlast): ArtifactFiles {
  return {
    ...files,
    findTaken: (names) => outlast(() => files.findTaken(names)),
    stage: (id, ...parts) => outlast(() => files.stage(id, ...parts)),
    publish: (id, name) => outlast(() => files.publish(id, name)),
    settle: (published) => outlast(() => files.settle(published)),
    remove: (file) => outlast(() => files.remove(file)),
  };
}

/** Returns the names of one publication, whose changes outlast an outage. A claim must be repeated with another id. */
export function toPatientNames(
  { claim, rename, findNames }: Pick<ArtifactStore, 'claim' | 'rename' | 'findNames'>,
  outlast: Outlast,
): Pick<ArtifactStore, 'claim' | 'rename' | 'findNames'> {
  return { claim, findNames, rename: (candidates) => outlast(() => rename(candidates)) };
}
