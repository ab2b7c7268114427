import { toBridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { unknownOutcome } from '../failed-calls.ts';
import type { HistoryEntry } from './replies.ts';
import type { ComfyServer } from './server.ts';

interface Deps {
  readonly server: Pick<ComfyServer, 'history' | 'queue'>;
  readonly clock: Clock;
}

/** Where a prompt is: `absent` for one that the server does not know, its entry in the history for one that has ended. */
type PromptState = HistoryEntry | 'running' | 'pending' | 'absent';

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1000;
/** So many failures in a row, and the server is given up. */
const MAX_FAILURES = 5;

/** Follows a prompt that the server may have taken: from here on, nothing is repeated that could run it twice. */
export function createPromptWatch({ server, clock }: Deps) {
  async function look(id: string, signal: AbortSignal): Promise<PromptState> {
    const ended = await server.history(id, signal);
    if (ended) return ended;
    const queue = await server.queue(signal);
    if (queue?.running.includes(id)) return 'running';
    // A queue that is too long to be read is one to wait in.
    if (!queue || queue.pending.includes(id)) return 'pending';
    // It may have ended between the two requests.
    return (await server.history(id, signal)) ?? 'absent';
  }

  /**
   * Repeats a request that changes nothing. Throws `protocol` of unknown outcome after some failures in a row, and at once a
   * failure that says that the image was made.
   */
  async function repeated<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await read();
      } catch (thrown) {
        signal.throwIfAborted();
        if (toBridgeError(thrown).effect === 'made') throw thrown;
        if (failures === MAX_FAILURES) throw unknownOutcome('server_unreachable');
      }
      await sleep(clock, LONGEST_POLL_MS, signal);
    }
  }

  return {
    repeated,

    async isKnown(id: string, signal: AbortSignal): Promise<boolean> {
      return (await repeated(() => look(id, signal), signal)) !== 'absent';
    },

    /** Resolves when the prompt has ended. Throws `protocol` of unknown outcome for one that the server has lost. */
    async ended(id: string, signal: AbortSignal, onRunning: () => void): Promise<HistoryEntry> {
      let isRunning = false;
      for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.5, LONGEST_POLL_MS)) {
        await sleep(clock, waitMs, signal);
        const found = await repeated(() => look(id, signal), signal);
        if (found === 'absent') throw unknownOutcome('prompt_lost');
        if (typeof found === 'object') return found;
        if (found === 'running' && !isRunning) {
          isRunning = true;
          onRunning();
        }
      }
    },
  };
}
