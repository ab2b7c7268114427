import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../dashboard/src/api/api.ts';
import { createWaitingNotes } from '../../../dashboard/src/jobs/waiting-notes.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';

/** Creates the notes of a bridge that answers each request with the next of these failures, and then stores the notes. */
function openNotes(...failures: ApiError[]) {
  const stored: unknown[] = [];
  const connection = { returns: signal(0), token: signal<string | undefined>('first') };
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const toasts = createToasts();
  const jobs = {
    async setNote(jobId: string, artifactId: string, note: string) {
      const failure = failures.shift();
      if (failure) throw failure;
      stored.push([jobId, artifactId, note]);
    },
  };
  const open = () => createWaitingNotes({ jobs, connection, toasts, storage });
  return {
    notes: open(),
    kept,
    /** Opens the notes as a page does that was loaded again. */
    async reload() {
      const notes = open();
      await new Promise(setImmediate);
      return notes;
    },
    stored,
    connection,
    toasts,
    async reconnect() {
      connection.returns.value += 1;
      await new Promise(setImmediate);
    },
  };
}

const NOTE = { jobId: 'job', artifactId: 'image', note: 'For the cover' };

describe('createWaitingNotes', () => {
  it('sends each note once when the bridge is reachable again, and says so', async () => {
    const { notes, stored, toasts, reconnect } = openNotes(ApiError.unreachable());
    notes.keep({ ...NOTE, note: 'A first thought' });
    notes.keep(NOTE);

    await reconnect();
    const before = [...stored];
    await reconnect();
    await reconnect();

    expect(before).toEqual([]);
    expect(stored).toEqual([['job', 'image', 'For the cover']]);
    expect(notes.waiting.value.size).toBe(0);
    expect(toasts.list.value.map(({ kind }) => kind)).toEqual(['done']);
  });

  it('shows the text of a note that the bridge refuses', async () => {
    const { notes, toasts, reconnect } = openNotes(ApiError.ofReply(404, {}));
    notes.keep(NOTE);

    await reconnect();

    expect(notes.waiting.value.size).toBe(0);
    expect(toasts.list.value).toMatchObject([{ kind: 'failed', detail: 'For the cover' }]);
  });

  it('never sends a note with another token', async () => {
    const { notes, stored, connection, reconnect } = openNotes();
    notes.keep(NOTE);
    connection.token.value = 'second';

    await reconnect();
    const other = [...stored];
    connection.token.value = 'first';
    await reconnect();

    expect([other.length, stored.length]).toEqual([0, 1]);
  });

  it('shows a note only with the token with which the note was written', () => {
    const { notes, connection } = openNotes();
    notes.keep(NOTE);
    connection.token.value = 'second';
    const other = notes.waiting.value.size;
    connection.token.value = 'first';

    expect([other, notes.waiting.value.size]).toEqual([0, 1]);
  });

  it('sends nothing for a note that was saved meanwhile', async () => {
    const { notes, stored, reconnect } = openNotes();
    notes.keep(NOTE);
    notes.drop('image');

    await reconnect();

    expect(stored).toEqual([]);
  });

  it('sends a note that was written before a reload, and keeps nothing afterwards', async () => {
    const { notes, stored, kept, reload } = openNotes(ApiError.unreachable());
    notes.keep(NOTE);
    const first = await reload();
    const waiting = [...first.waiting.value.values()];

    const second = await reload();

    expect(waiting).toEqual([NOTE]);
    expect(stored).toEqual([['job', 'image', 'For the cover']]);
    expect([second.waiting.value.size, kept.size]).toEqual([0, 0]);
  });

  it('forgets the notes of a token that is forgotten', () => {
    const { notes, kept, connection } = openNotes();
    notes.keep(NOTE);
    const before = kept.size;

    connection.token.value = undefined;

    expect([before, kept.size, notes.waiting.value.size]).toEqual([1, 0, 0]);
  });

  it('keeps at most 100 notes', () => {
    const { notes } = openNotes();
    const keep = (nth: number) => notes.keep({ ...NOTE, artifactId: `image ${nth}` });

    const kept = Array.from({ length: 101 }, (_, nth) => keep(nth));

    expect([kept.at(-2), kept.at(-1), keep(3)]).toEqual([true, false, true]);
    expect(notes.waiting.value.size).toBe(100);
  });

  it.each(['{', '{}', '[1]', '[{"jobId":"job"}]'])(
    'ignores a damaged storage: %s',
    async (text) => {
      const { notes, kept, reload } = openNotes();
      notes.keep(NOTE);
      for (const key of kept.keys()) kept.set(key, text);

      const reloaded = await reload();

      expect(reloaded.waiting.value.size).toBe(0);
    },
  );
});
