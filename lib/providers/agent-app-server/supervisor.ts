import { BridgeError } from '../../errors/bridge-error.ts';
import { abortable } from '../../platform/abortable.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { AgentChild } from './agent-child.ts';

interface Deps {
  readonly clock: Clock;
  /** The setting `restart_backoff_ms`. */
  readonly backoffMs: number;
  /** Starts a process and performs the handshake. Ends the process if the handshake fails. */
  readonly start: (signal: AbortSignal) => Promise<AgentChild>;
}

const MAX_BACKOFF_MS = 30_000;

/**
 * Creates the owner of the single child. Starts the child when a call needs it. After the child has ended, the next
 * start is delayed; the delay doubles each time.
 */
export function createSupervisor({ clock, backoffMs, start }: Deps) {
  const closing = new AbortController();
  const stopping = new Set<Promise<void>>();
  let current: AgentChild | undefined;
  let starting: Promise<AgentChild> | undefined;
  let starts = 0;
  /** Number of children in succession that ended without a completed turn. */
  let crashes = 0;
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  function noteEnd(): void {
    notBeforeMs = clock.monotonicMs() + Math.min(backoffMs * 2 ** crashes, MAX_BACKOFF_MS);
    crashes += 1;
  }

  async function watch(child: AgentChild): Promise<void> {
    await child.ended;
    current = undefined;
    if (!closing.signal.aborted) noteEnd();
    // A process that has closed its output is useless, even if it continues to run.
    const stopped = child.stop();
    stopping.add(stopped);
    await stopped;
    stopping.delete(stopped);
  }

  async function startNow(): Promise<AgentChild> {
    const waitMs = notBeforeMs - clock.monotonicMs();
    if (waitMs > 0) await sleep(clock, waitMs, closing.signal);
    closing.signal.throwIfAborted();
    starts += 1;
    try {
      const child = await start(closing.signal);
      current = child;
      void watch(child);
      return child;
    } catch (error) {
      noteEnd();
      throw error;
    } finally {
      starting = undefined;
    }
  }

  return {
    /**
     * Resolves with the running child. After a crash, waits for the delay and starts a new child. The signal ends the
     * wait but not the start. Rejects with the error of the start.
     */
    async child(signal: AbortSignal): Promise<AgentChild> {
      if (current && !current.hasEnded()) return current;
      starting ??= startNow();
      return abortable(starting, signal);
    },

    /** Returns the running child, if any. */
    running: () => (current?.hasEnded() ? undefined : current),

    /** Resets the restart delay after a completed turn. */
    noteSuccess(): void {
      crashes = 0;
    },

    /** Returns the number of times that a child was restarted. */
    restarts: () => Math.max(0, starts - 1),

    /** Resolves when all children have ended. No further child is started. */
    async close(): Promise<void> {
      closing.abort(new BridgeError('cancelled', 'the provider is closing'));
      await starting?.catch(() => undefined);
      await Promise.all([current?.stop(), ...stopping]);
    },
  };
}
