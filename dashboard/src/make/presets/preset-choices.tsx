import { Trash2 } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../../api/api.ts';
import type { Preset } from '../../api/schemas.ts';
import { Button, IconButton } from '../../controls/button.tsx';
import { Field } from '../../controls/inputs.tsx';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/toasts.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { titleOf } from './preset-names.ts';
import './preset-choices.css';

interface PresetChoicesProps {
  /** Closes the menu. */
  readonly onDone: () => void;
}

/** Renders the list of presets, and the form that saves the settings of the draft as a preset. */
export function PresetChoices({ onDone }: PresetChoicesProps) {
  const box = useRef<HTMLDivElement>(null);
  // The menu moved the focus before its code was loaded.
  useEffect(() => {
    box.current?.querySelector<HTMLElement>('button, input')?.focus();
  }, []);
  return (
    <div ref={box}>
      <PresetList onDone={onDone} />
      <SavePreset onDone={onDone} />
    </div>
  );
}

function PresetList({ onDone }: PresetChoicesProps) {
  const { presets } = usePage();
  const list = presets.list.value;
  if (list === undefined) return <p class="hint note">{text('presets.loading')}</p>;
  if (list.length === 0) return <p class="hint note">{text('presets.none')}</p>;
  return (
    <ul class="preset-list scroll">
      {list.map((preset) => (
        <PresetRow key={preset.name} preset={preset} onDone={onDone} />
      ))}
    </ul>
  );
}

/** Renders one preset. Deleting a preset needs a second press, because all clients share the presets. */
function PresetRow({ preset, onDone }: { readonly preset: Preset; readonly onDone: () => void }) {
  const { draft, presets, toasts, undo } = usePage();
  const [isSure, setSure] = useState(false);
  const { description, template } = preset;
  const name = titleOf(preset);

  function apply(): void {
    const restore = draft.snapshot();
    const prompt = template.prompt ?? draft.settings.peek().prompt;
    draft.apply({ ...template, ...(prompt && { prompt }) });
    undo.offer(text('presets.applied', { name }), restore);
    onDone();
  }

  return (
    <li class="row">
      <button type="button" class="apply grow" onClick={apply}>
        <span class="cut" dir="auto">
          {name}
        </span>
        <small class="cut">{description ?? template.prompt}</small>
      </button>
      {isSure ? (
        <Button
          size="small"
          look="danger"
          onClick={() => void attempt(toasts, () => presets.remove(preset.name))}
        >
          {text('presets.delete')}
        </Button>
      ) : (
        <IconButton
          small
          icon={Trash2}
          label={text('presets.deleteNamed', { name })}
          onClick={() => {
            setSure(true);
            setTimeout(setSure, 3000, false);
          }}
        />
      )}
    </li>
  );
}

/** Saves the settings of the draft under a title. Replacing an existing preset needs a second press. */
function SavePreset({ onDone }: PresetChoicesProps) {
  const { draft, presets, toasts } = usePage();
  const [name, setName] = useState('');
  const [isTaken, setTaken] = useState(false);
  const [fault, setFault] = useState<string>();
  const title = name.trim().normalize('NFC');

  async function save(): Promise<void> {
    if (title === '') return;
    const template = draft.settings.peek();
    const known = presets.find(title);
    if (known !== undefined && !isTaken) {
      setTaken(true);
      return;
    }
    try {
      await (known ? presets.replace(known, template) : presets.create(title, template));
      toasts.show({ kind: 'done', text: text('presets.saved', { name: title }) });
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Another client has just taken the name. The presets were read again, so that a second press finds them.
      if (error.reason === 'preset_exists') setTaken(true);
      else
        setFault(
          error.code === 'invalid_request' ? error.message : toFailureText(error, Date.now()).title,
        );
    }
  }

  return (
    <form
      class="save-preset fields"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={text('presets.name')}
        placeholder={text('presets.saveAs')}
        value={name}
        maxLength={64}
        aria-describedby="preset-note"
        onInput={(next) => {
          setName(next);
          setTaken(false);
          setFault(undefined);
        }}
      />
      <Button type="submit" look={isTaken ? 'danger' : 'plain'} disabled={title === ''}>
        {text(isTaken ? 'presets.replace' : 'presets.save')}
      </Button>
      <p id="preset-note" class={fault ? 'bad' : 'hint'} role="status">
        {(isTaken && text('presets.taken')) || fault || text('presets.what')}
      </p>
    </form>
  );
}
