import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '../../../lib/platform/clock.ts';

/** How a call ended. */
export type Outcome =
  | 'open'
  /** The reply was sent completely, whatever its status. */
  | 'replied'
  /** The request was not one that a strict backend accepts. */
  | 'refused'
  /** The emulator broke the connection, as its script says. */
  | 'cut'
  /** The client broke the connection before the response had ended. */
  | 'client_disconnected'
  /** The emulator itself failed. */
  | 'broken';

/** The current state of one call. */
export interface Call {
  readonly number: number;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly outcome: Outcome;
  /** The name of the behaviour that replied. */
  readonly behaviour?: string;
  /** Whether it is in the middle of a silence. */
  readonly isSilent?: boolean;
  /** As it was sent; only where bodies are kept. */
  readonly body?: Buffer;
  /** Why it was refused: status, code, and the member that was wrong. */
  readonly refusal?: { readonly status: number; readonly code: string; readonly param?: string };
  /** From its first byte to its end. */
  readonly tookMs?: number;
}

type Change = Partial<Omit<Call, 'number' | 'path' | 'headers' | 'tookMs'>>;

interface Deps {
  readonly clock: Clock;
  readonly keepsBodies: boolean;
  readonly onEnd: (call: Call) => void;
}

export type Calls = ReturnType<typeof createCalls>;

/** Records the calls and notifies every waiter of each change. */
export function createCalls({ clock, keepsBodies, onEnd }: Deps) {
  const calls: Call[] = [];
  const failures: unknown[] = [];
  const waiting = new Set<() => void>();

  return {
    all: (): readonly Call[] => calls,

    /** Begins a call; `notify` of the returned object records each change. */
    begin({ url: path = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>) {
      const number = calls.length;
      const startMs = clock.monotonicMs();
      calls.push({ number, path, headers, outcome: 'open' });
      wake();
      const notify = (news: Change): void => {
        const before = calls[number];
        if (before?.outcome !== 'open') return;
        const { body, ...others } = news;
        const tookMs = others.outcome ? { tookMs: clock.monotonicMs() - startMs } : {};
        const call = { ...before, ...others, ...(keepsBodies && body ? { body } : {}), ...tookMs };
        calls[number] = call;
        if (call.outcome !== 'open') onEnd(call);
        wake();
      };
      return { number, notify };
    },

    /** How many calls ended in which way. */
    byOutcome(): Readonly<Record<Outcome, number>> {
      const counts = {
        open: 0,
        replied: 0,
        refused: 0,
        cut: 0,
        client_disconnected: 0,
        broken: 0,
      };
      for (const { outcome } of calls) counts[outcome] += 1;
      return counts;
    },

    /** Resolves as soon as `isSo` holds; it is asked again after every change. */
    until(predicate: () => boolean): Promise<void> {
      return new Promise((resolve) => {
        const check = () => {
          if (!predicate()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },

    wake,

    /** Records an error of the emulator itself, for `close` to throw. */
    fail(error: unknown): void {
      failures.push(error);
    },
    failures: (): readonly unknown[] => failures,
  };

  function wake(): void {
    for (const check of [...waiting]) check();
  }
}
