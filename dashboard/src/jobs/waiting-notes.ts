import { computed, effect, signal } from '@preact/signals';
import { ApiError, joined } from '../api/api.ts';
import type { Connection } from '../connection/connection.ts';
import type { Toasts } from '../shell/toasts.ts';
import { text } from '../text/text.ts';
import type { Jobs } from './jobs.ts';

interface Deps {
  readonly jobs: Pick<Jobs, 'markImage'>;
  readonly connection: Pick<Connection, 'returns' | 'token'>;
  readonly toasts: Pick<Toasts, 'show'>;
}

/** A note of an image that could not be sent. */
interface WaitingNote {
  readonly jobId: string;
  readonly artifactId: string;
  readonly note: string;
}

/** Keeps the notes that were written without a connection, and sends them when the bridge is reachable again. */
export function createWaitingNotes({ jobs, connection, toasts }: Deps) {
  /** The notes by the ids of their images, each with the token with which it was written. */
  const waiting = signal<ReadonlyMap<string, WaitingNote & { readonly token: string | undefined }>>(
    new Map(),
  );

  function drop(artifactId: string): void {
    if (!waiting.peek().has(artifactId)) return;
    waiting.value = new Map([...waiting.peek()].filter(([id]) => id !== artifactId));
  }

  /** Resolves with true if the note is stored. Throws ApiError if the bridge is still not reachable. */
  async function send({ jobId, artifactId, note }: WaitingNote): Promise<boolean> {
    try {
      await jobs.markImage(jobId, artifactId, { note });
      return true;
    } catch (thrown) {
      const error = ApiError.of(thrown);
      if (error.code === 'unreachable' || error.status === 401 || error.status >= 500) throw error;
      // The text is shown, so that it can be copied.
      toasts.show({ kind: 'failed', text: text('job.note.notSaved'), detail: note });
      return false;
    }
  }

  const sendAll = joined(async () => {
    let sent = 0;
    for (const one of waiting.peek().values()) {
      // Another token cannot change the image.
      if (one.token !== connection.token.peek()) continue;
      try {
        if (await send(one)) sent += 1;
      } catch {
        break;
      }
      // The note may have been changed while it was being sent.
      if (waiting.peek().get(one.artifactId) === one) drop(one.artifactId);
    }
    if (sent > 0) toasts.show({ kind: 'done', text: text('job.note.sent', { count: sent }) });
  });

  effect(() => {
    void connection.returns.value;
    if (waiting.peek().size > 0) void sendAll();
  });

  return {
    /** The notes that were written with the present token, by the ids of their images. */
    waiting: computed(
      (): ReadonlyMap<string, WaitingNote> =>
        new Map([...waiting.value].filter(([, { token }]) => token === connection.token.value)),
    ),
    /** Keeps a note in place of an earlier note of the same image. */
    keep(note: WaitingNote): void {
      const kept = { ...note, token: connection.token.peek() };
      waiting.value = new Map(waiting.peek()).set(note.artifactId, kept);
    },
    /** Forgets the note of an image. */
    drop,
  };
}
