import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/api.ts';
import type { Job } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { isOpen } from '../../jobs/job-state.ts';
import { openNotes } from '../../jobs/waiting-notes.ts';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/toasts.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { useJobActions } from '../job-actions.ts';
import { idOf, type JobImage, marksOfImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';

/** The maximum length of a note in the API contract, in Unicode code points. */
const MAX_NOTE = 500;
/** The length from which the remaining length is shown, because few notes are as long. */
const SHOWN_FROM = 400;

/** Edits the note of the one image in view. */
export function NoteSection({ job }: { readonly job: Job }) {
  const { b: image, view } = useLook().looking;
  if (image?.kind !== 'output' || view === 'grid' || isOpen(job)) return null;
  return <NoteField key={image.path} job={job} image={image} />;
}

interface Props {
  readonly job: Job;
  readonly image: JobImage;
}

/**
 * Saves the note when the field loses the focus. A note that could not be saved stays in the field. Without a connection, the note is
 * saved when the bridge is reachable again.
 */
function NoteField({ job, image }: Props) {
  const { connection } = usePage();
  const { typed, isChanged, isWaiting, isSaving, failure, type, save } = useNote(job, image);
  const isAway = connection.state.value === 'offline';
  const length = countCharacters(typed);
  const isLong = length > MAX_NOTE;
  const problem = isLong
    ? text('job.note.long', { count: length - MAX_NOTE })
    : isAway && isChanged
      ? text('job.note.offline')
      : isWaiting
        ? text('job.note.waits')
        : failure;
  return (
    <section class="note-section stack">
      <h2>
        <label for="note">{text('job.note')}</label>
      </h2>
      <textarea
        id="note"
        class="text-area edged"
        rows={2}
        dir="auto"
        placeholder={text('job.note.placeholder')}
        value={typed}
        aria-invalid={isLong}
        aria-describedby="note-state"
        onInput={(event) => type(event.currentTarget.value)}
        onChange={() => !isLong && void save()}
      />
      <div class="row">
        <p
          id="note-state"
          class={problem === undefined ? 'soft num grow' : 'bad grow'}
          role="status"
        >
          {problem ??
            (length >= SHOWN_FROM
              ? text('job.note.length', { count: length, limit: MAX_NOTE })
              : '')}
        </p>
        {isChanged && (
          <Button size="small" disabled={isLong || isAway || isSaving} onClick={() => void save()}>
            {text(failure === undefined ? 'job.note.save' : 'action.retry')}
          </Button>
        )}
      </div>
    </section>
  );
}

/** Keeps the text of the field until the bridge has stored the text. */
function useNote(job: Job, image: JobImage) {
  const page = usePage();
  const { toasts, connection } = page;
  const notes = openNotes(page);
  const { setNote } = useJobActions();
  const artifactId = idOf(image);
  const stored = marksOfImage(job, image).note ?? '';
  const waiting = notes.waiting.value.get(artifactId);
  const kept = waiting?.note ?? stored;
  const [draft, setDraft] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const sending = useRef<string | undefined>(undefined);
  const typed = draft ?? kept;
  const note = typed.trim();
  const isChanged = note !== kept;

  /** Saves the note, unless the same note is being saved. Without a connection, the page keeps the note. */
  async function send(): Promise<void> {
    if (!isChanged || sending.current === note) return;
    sending.current = note;
    try {
      if (connection.state.peek() === 'offline') throw ApiError.unreachable();
      await setNote(image, note, stored);
      notes.drop(artifactId);
    } catch (thrown) {
      const { code, status } = ApiError.of(thrown);
      if (code !== 'unreachable' && status !== 401) throw thrown;
      if (!notes.keep({ jobId: job.id, artifactId, note })) throw thrown;
    } finally {
      sending.current = undefined;
    }
  }

  async function save(): Promise<void> {
    setFailure(undefined);
    setSaving(true);
    try {
      await send();
      // The text may have been changed while it was being saved.
      setDraft((now) => (now?.trim() === note ? undefined : now));
    } catch (error) {
      setFailure(toFailureText(ApiError.of(error), Date.now()).title);
    } finally {
      setSaving(false);
    }
  }

  const leave = useRef(() => {});
  leave.current = () => {
    if (countCharacters(note) > MAX_NOTE) return;
    void attempt(toasts, send).then(() => {
      if (!notes.waiting.peek().has(artifactId)) return;
      toasts.show({ kind: 'refused', text: text('job.note.waits') });
    });
  };
  // A field that is removed while it has the focus reports no change, and neither does a page that is reloaded.
  useEffect(() => {
    const onLeave = () => leave.current();
    window.addEventListener('pagehide', onLeave);
    return () => {
      window.removeEventListener('pagehide', onLeave);
      onLeave();
    };
  }, []);

  return {
    typed,
    isChanged,
    isWaiting: waiting !== undefined,
    isSaving,
    failure,
    type: setDraft,
    save,
  };
}

/** Returns the number of Unicode code points. Counts no further than needed to know that a text is far too long. */
function countCharacters(value: string): number {
  return value.length > MAX_NOTE * 4 ? value.length : Array.from(value).length;
}
