import { useState } from 'preact/hooks';
import { ApiError } from '../../api/api-error.ts';
import { Button } from '../../controls/button.tsx';
import { Field } from '../../controls/field.tsx';
import { usePage } from '../../page-context.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';

/** contract.md 5. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Saves the draft's settings under a name; a name that is taken asks for a second press. */
export function SavePreset({ onDone }: { readonly onDone: () => void }) {
  const { draft, presets, toasts } = usePage();
  const [name, setName] = useState('');
  const [isTaken, setTaken] = useState(false);
  const [fault, setFault] = useState<string>();
  const isBad = name !== '' && !NAME.test(name);

  async function save(): Promise<void> {
    if (!NAME.test(name)) return;
    const template = draft.settings.peek();
    try {
      await (isTaken ? presets.replace(name, template) : presets.create(name, template));
      toasts.show({ kind: 'done', text: text('presets.saved', { name }) });
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === 'preset_exists') setTaken(true);
      else
        setFault(
          error.code === 'invalid_request' ? error.message : toFailureText(error, Date.now()).title,
        );
    }
  }

  return (
    <form
      class="save-preset"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={text('presets.name')}
        placeholder={text('presets.saveAs')}
        value={name}
        bad={isBad}
        maxLength={64}
        spellcheck={false}
        autoComplete="off"
        describedBy="preset-note"
        onInput={(next) => {
          setName(next);
          setTaken(false);
          setFault(undefined);
        }}
      />
      <Button type="submit" look={isTaken ? 'danger' : 'plain'} disabled={name === '' || isBad}>
        {text(isTaken ? 'presets.replace' : 'presets.save')}
      </Button>
      <p id="preset-note" class={isBad || fault ? 'bad' : 'hint'} role="status">
        {(isBad && text('presets.characters')) ||
          (isTaken && text('presets.taken')) ||
          fault ||
          text('presets.what')}
      </p>
    </form>
  );
}
