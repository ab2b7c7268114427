import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../../lib/platform/clock.ts';

/** What became of a call. */
export type Outcome =
  | 'open'
  /** The answer was sent to its end, whatever it said. */
  | 'answered'
  /** The request was not what a strict backend takes. */
  | 'refused'
  /** The emulator broke the connection, as it was told to. */
  | 'cut'
  /** The client broke the connection before the response had ended. */
  | 'client_disconnected'
  /** The emulator itself failed. */
  | 'broken';

/** One call, as far as it has come. */
export interface Call {
  readonly number: number;
  readonly headers: IncomingHttpHeaders;
  readonly outcome: Outcome;
  /** The name of what it was answered with. */
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

type News = Partial<Omit<Call, 'number' | 'headers' | 'tookMs'>>;

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

    /** Begins a call; the returned function says what became of it. */
    begin(headers: IncomingHttpHeaders) {
      const number = calls.length;
      const startMs = clock.monotonicMs();
      calls.push({ number, headers, outcome: 'open' });
      wake();
      const notify = (news: News): void => {
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
        answered: 0,
        refused: 0,
        cut: 0,
        client_disconnected: 0,
        broken: 0,
      };
      for (const { outcome } of calls) counts[outcome] += 1;
      return counts;
    },

    /** Resolves as soon as `isSo` holds; it is asked again after every change. */
    until(isSo: () => boolean): Promise<void> {
      return new Promise((resolve) => {
        const look = () => {
          if (!isSo()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },

    wake,

    /** Keeps what the emulator itself did wrong, for `close` to throw. */
    fail(error: unknown): void {
      failures.push(error);
    },
    failures: (): readonly unknown[] => failures,
  };

  function wake(): void {
    for (const look of [...waiting]) look();
  }
}
