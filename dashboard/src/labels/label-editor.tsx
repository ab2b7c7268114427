import { Plus, X } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, IconButton } from '../controls/button.tsx';
import { Field } from '../controls/inputs.tsx';
import labels from '../text/labels.json';
import { withOwnTexts } from '../text/own-texts.ts';
import { useKnownLabels } from './known-labels.ts';
import { labelProblem, MAX_LABELS, MAX_TYPED, toLabel } from './label-rules.ts';
import './label-editor.css';

const text = withOwnTexts<keyof typeof labels>(labels);

/** Changes labels. Resolves with true if the bridge has made the change. A failure is shown. */
type Change = (label: string) => Promise<boolean>;

interface EditorProps {
  readonly labels: readonly ListedLabel[];
  /** The labels that a new label must differ from. */
  readonly taken: readonly string[];
  readonly onAdd: Change;
  readonly onRemove: Change;
  readonly onRename: (label: string, next: string) => Promise<boolean>;
}

/** A label in the order of the job. */
interface ListedLabel {
  readonly label: string;
  /** The part of the selected jobs that have the label. */
  readonly share?: string;
  /** True if the label cannot be renamed here. */
  readonly isFixed?: boolean;
}

/** Edits labels. Each change is stored at once, and can be undone. */
export function LabelEditor(props: EditorProps) {
  const { labels: listed, taken, onAdd, onRemove, onRename } = props;
  const editor = useRef<HTMLDivElement>(null);
  useKeptFocus(editor, listed.map(({ label }) => label).join('\n'));
  return (
    <div ref={editor} class="label-editor stack">
      {listed.length > 0 && (
        <ul class="stack">
          {listed.map(({ label, share, isFixed }) => (
            <li key={label} class="fields">
              {isFixed ? (
                <bdi class="grow">{label}</bdi>
              ) : (
                <LabelField
                  name={text('label.rename', { label })}
                  label={label}
                  taken={taken.filter((each) => each !== label)}
                  onSave={(next) => (next === '' ? onRemove(label) : onRename(label, next))}
                />
              )}
              {share !== undefined && <small class="faint num">{share}</small>}
              <IconButton
                small
                icon={X}
                label={text('label.remove', { label })}
                // The field keeps the focus, so that the label is not renamed before it is removed.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => void onRemove(label)}
              />
            </li>
          ))}
        </ul>
      )}
      {taken.length < MAX_LABELS ? (
        <NewLabel taken={taken} onAdd={onAdd} />
      ) : (
        <p class="hint" role="status">
          {text('label.full', { limit: MAX_LABELS })}
        </p>
      )}
    </div>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** The labels that the label in the field must differ from. */
  readonly taken: readonly string[];
  readonly onSave: Change;
}

/** Renames a label when the field loses the focus. An empty field removes the label. */
function LabelField({ name, ...props }: FieldProps) {
  const { field, problem } = useLabel(props);
  return (
    <>
      <Field {...field} label={name} />
      {problem}
    </>
  );
}

function NewLabel({ taken, onAdd }: Pick<EditorProps, 'taken' | 'onAdd'>) {
  const list = useId();
  const known = useKnownLabels() ?? [];
  const { field, problem, canSave, save } = useLabel({
    label: '',
    taken,
    onSave: onAdd,
    isNew: true,
  });
  const leave = useRef(save);
  leave.current = save;
  // A field that is removed while it has the focus reports no blur.
  useEffect(() => () => void leave.current(), []);
  return (
    <div class="fields">
      <Field {...field} label={text('label.new')} placeholder={text('label.new')} list={list} />
      <Button icon={Plus} disabled={!canSave} onClick={() => void save()}>
        {text('label.add')}
      </Button>
      {problem}
      <datalist id={list}>
        {known
          .filter(({ label }) => !taken.includes(label))
          .map(({ label }) => (
            <option key={label} value={label} />
          ))}
      </datalist>
    </div>
  );
}

interface SavedLabel extends Omit<FieldProps, 'name'> {
  /** True if the field is empty as soon as its label is sent, so that the next label can be typed at once. */
  readonly isNew?: boolean;
}

/** Keeps the text of a field for a label until the bridge has stored the label, so that a failure loses nothing. */
function useLabel({ label, taken, onSave, isNew = false }: SavedLabel) {
  const note = useId();
  const [draft, setDraft] = useState<string>();
  const sending = useRef<string | undefined>(undefined);
  const next = toLabel(draft ?? label);
  const problem = next === label || next === '' ? undefined : labelProblem(next, taken);
  const canSave = next !== label && problem === undefined;

  async function save(): Promise<void> {
    if (!canSave || sending.current === next) return;
    sending.current = next;
    if (isNew) setDraft(undefined);
    const isDone = await onSave(next);
    sending.current = undefined;
    // The text may have been changed while it was being saved.
    if (isDone) setDraft((now) => (toLabel(now ?? '') === next ? undefined : now));
    else setDraft((now) => now ?? draft);
  }

  const field = {
    value: draft ?? label,
    dir: 'auto',
    bad: problem !== undefined,
    maxLength: MAX_TYPED,
    'aria-describedby': note,
    enterKeyHint: 'done',
    onInput: setDraft,
    onBlur: () => void save(),
    onKeyDown: (event: KeyboardEvent) => {
      // While an input method composes text, the keys belong to the input method.
      if (event.isComposing) return;
      if (event.key === 'Enter') void save();
      if (event.key !== 'Escape' || draft === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setDraft(undefined);
    },
  } as const;
  return {
    field,
    canSave,
    save,
    problem: (
      <p id={note} class="bad" role="status">
        {problem && text(`label.${problem.key}`, { ...problem.values })}
      </p>
    ),
  };
}

/** Keeps the focus in its row when a change replaces the focused row, or moves the focus to the neighbour of a removed row. */
function useKeptFocus(editor: RefObject<HTMLDivElement | null>, shown: string): void {
  const last = useRef<{ readonly row: number; readonly isField: boolean } | undefined>(undefined);
  useEffect(() => {
    const box = editor.current;
    const controller = new AbortController();
    const { signal } = controller;
    box?.addEventListener(
      'focusin',
      ({ target }) => {
        const row = [...box.querySelectorAll('li')].findIndex((each) =>
          each.contains(target as Node),
        );
        last.current = { row, isField: target instanceof HTMLInputElement };
      },
      { signal },
    );
    box?.addEventListener(
      'focusout',
      ({ target, relatedTarget }) => {
        if (box.contains(relatedTarget as Node | null)) return;
        // A row that was removed has lost the focus only because of the removal.
        queueMicrotask(() => {
          if ((target as Node).isConnected) last.current = undefined;
        });
      },
      { signal },
    );
    return () => controller.abort();
  }, [editor]);
  useLayoutEffect(() => {
    const { current: at } = last;
    const box = editor.current;
    if (at === undefined || box === null || document.activeElement !== document.body) return;
    const rows = box.querySelectorAll('li');
    const row = at.row < 0 ? undefined : (rows[at.row] ?? rows[rows.length - 1]);
    const place =
      row?.querySelector<HTMLElement>(at.isField ? 'input' : 'button') ??
      box.querySelector<HTMLElement>(':scope > .fields input') ??
      box.querySelector<HTMLElement>('li:last-child button');
    place?.focus();
  }, [editor, shown]);
}
