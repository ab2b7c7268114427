import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiError, joined } from '../api/api.ts';
import type { Connection } from '../connection/connection.ts';
import { tokenPlace } from '../connection/token-place.ts';
import { type JsonStorage, readJson, writeJson } from '../shell/stored-json.ts';
import type { Toasts } from '../shell/toasts.ts';
import { text } from '../text/text.ts';
import type { Jobs } from './jobs.ts';
import { NOTES_PREFIX } from './notes-prefix.ts';

interface Deps {
  readonly jobs: Pick<Jobs, 'setNote'>;
  readonly connection: Pick<Connection, 'returns' | 'token'>;
  readonly toasts: Pick<Toasts, 'show'>;
  readonly storage: JsonStorage;
}

/** A note of an image that could not be sent. */
interface WaitingNote {
  readonly jobId: string;
  readonly artifactId: string;
  readonly note: string;
}

/** The notes by the ids of their images. */
type Notes = ReadonlyMap<string, WaitingNote>;

export type WaitingNotes = ReturnType<typeof createWaitingNotes>;

/** The maximum number of notes that wait for one token. */
const MAX_NOTES = 100;

interface OpenParts extends Omit<Deps, 'storage'> {
  readonly notes: { opened: WaitingNotes | undefined };
}

/** Returns the waiting notes of the page, which are read from the storage of the tab at the first call. */
export function openNotes({ notes, ...parts }: OpenParts): WaitingNotes {
  notes.opened ??= createWaitingNotes({ ...parts, storage: sessionStorage });
  return notes.opened;
}

/**
 * Keeps the notes that were written without a connection, and sends them when the bridge is reachable again. The notes are kept in
 * the session storage of the tab, so that they survive a reload. They are sent with the token with which they were written, and are
 * deleted when this token is forgotten.
 */
export function createWaitingNotes({ jobs, connection, toasts, storage }: Deps) {
  const waiting = signal<Notes>(new Map());
  let place = '';

  connection.token.subscribe((token) => {
    if (token === undefined && place !== '') storage.removeItem(place);
    place = tokenPlace(NOTES_PREFIX, token);
    waiting.value = toNotes(readJson(storage, place));
  });

  function set(notes: Notes): void {
    waiting.value = notes;
    writeJson(storage, place, notes.size === 0 ? undefined : [...notes.values()]);
  }

  function drop(artifactId: string): void {
    if (!waiting.peek().has(artifactId)) return;
    set(new Map([...waiting.peek()].filter(([id]) => id !== artifactId)));
  }

  /** Resolves with true if the note is stored. Throws ApiError if the bridge is still not reachable. */
  async function send({ jobId, artifactId, note }: WaitingNote): Promise<boolean> {
    try {
      await jobs.setNote(jobId, artifactId, note);
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
    const token = connection.token.peek();
    for (const one of waiting.peek().values()) {
      let isSent = false;
      try {
        isSent = await send(one);
      } catch {
        break;
      }
      // Another token cannot change the images.
      if (connection.token.peek() !== token) break;
      if (isSent) sent += 1;
      // The note may have been changed while it was being sent.
      if (waiting.peek().get(one.artifactId) === one) drop(one.artifactId);
    }
    if (sent > 0) toasts.show({ kind: 'done', text: text('job.note.sent', { count: sent }) });
  });

  connection.returns.subscribe(() => {
    if (waiting.peek().size > 0) void sendAll();
  });

  return {
    /** The notes that were written with the present token. */
    waiting: waiting as ReadonlySignal<Notes>,
    /** Keeps a note in place of an earlier note of the same image. Returns false if too many notes wait. */
    keep(note: WaitingNote): boolean {
      const notes = new Map(waiting.peek()).set(note.artifactId, note);
      if (notes.size > MAX_NOTES) return false;
      set(notes);
      return true;
    },
    /** Forgets the note of an image. */
    drop,
  };
}

function toNotes(kept: unknown): Notes {
  const notes = Array.isArray(kept) ? kept.filter(isNote).slice(0, MAX_NOTES) : [];
  return new Map(notes.map((note) => [note.artifactId, note]));
}

function isNote(kept: unknown): kept is WaitingNote {
  const { jobId, artifactId, note } = Object(kept) as Partial<WaitingNote>;
  return [jobId, artifactId, note].every((each) => typeof each === 'string');
}
