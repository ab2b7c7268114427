import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../dashboard/src/api/api.ts';
import { createWaitingNotes } from '../../../dashboard/src/jobs/waiting-notes.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';

/** Creates the notes of a bridge that answers each request with the next of these failures, and then stores the notes. */
function openNotes(...failures: ApiError[]) {
  const stored: unknown[] = [];
  const connection = { returns: signal(0), token: signal<string | undefined>('first') };
  const toasts = createToasts();
  const jobs = {
    async markImage(jobId: string, artifactId: string, marks: object) {
      const failure = failures.shift();
      if (failure) throw failure;
      stored.push([jobId, artifactId, marks]);
    },
  };
  const notes = createWaitingNotes({ jobs, connection, toasts });
  return {
    notes,
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
    expect(stored).toEqual([['job', 'image', { note: 'For the cover' }]]);
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
});
