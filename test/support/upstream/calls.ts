import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '../../../lib/platform/clock.ts';

/** The outcome of a call. */
export type Outcome =
  | 'open'
  /** The reply was sent completely, with any status. */
  | 'replied'
  /** The request was not valid for a strict backend. */
  | 'refused'
  /** The emulator broke the connection as its script requested. */
  | 'cut'
  /** The client broke the connection before the response ended. */
  | 'client_disconnected'
  /** The emulator itself failed. */
  | 'broken';

/** The current state of one call. */
export interface Call {
  readonly number: number;
  /** Path with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly outcome: Outcome;
  /** Name of the behaviour that replied. */
  readonly behaviour?: string;
  /** True during a silence. */
  readonly isSilent?: boolean;
  /** Body as sent. Present only if bodies are stored. */
  readonly body?: Buffer;
  /** Reason of a rejection: status, code, and the invalid member. */
  readonly refusal?: { readonly status: number; readonly code: string; readonly param?: string };
  /** Time from the first byte of the call to its end. */
  readonly tookMs?: number;
}

type Change = Partial<Omit<Call, 'number' | 'path' | 'headers' | 'tookMs'>>;

interface Deps {
  readonly clock: Clock;
  readonly keepsBodies: boolean;
  readonly onEnd: (call: Call) => void;
}

export type Calls = ReturnType<typeof createCalls>;

/** Records the calls and notifies all waiters of each change. */
export function createCalls({ clock, keepsBodies, onEnd }: Deps) {
  const calls: Call[] = [];
  const failures: unknown[] = [];
  const waiting = new Set<() => void>();

  return {
    all: (): readonly Call[] => calls,

    /** Begins a call. `notify` of the returned object records each change. */
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

    /** Returns the number of calls by outcome. */
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

    /** Resolves as soon as `isSo` returns true. It is called again after every change. */
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

    /** Records an error of the emulator itself, which `close` throws. */
    fail(error: unknown): void {
      failures.push(error);
    },
    failures: (): readonly unknown[] => failures,
  };

  function wake(): void {
    for (const check of [...waiting]) check();
  }
}
