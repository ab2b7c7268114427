import { Plus, X } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, IconButton } from '../../controls/button.tsx';
import { Field } from '../../controls/field.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import './labels-settings.css';

/** The limits of `metadata` in a request: the number of pairs, and the form of a name. */
const MOST = 16;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Edits the labels, with a form to add one. */
export function LabelsSettings() {
  const { draft } = usePage();
  const labels = Object.entries(draft.settings.value.metadata ?? {});

  function put(next: readonly (readonly [string, string])[]): void {
    const { metadata: _, ...rest } = draft.settings.peek();
    draft.apply(next.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(next) });
  }

  /** A label that already exists keeps its value. */
  function add(name: string): void {
    if (!labels.some(([each]) => each === name)) put([...labels, [name, '']]);
  }

  return (
    <>
      <p class="hint">{text('make.labels.hint')}</p>
      <ul class="labels">
        {labels.map(([name, content]) => (
          <li key={name}>
            <span class="mono cut">{name}</span>
            <Field
              label={text('make.labels.value', { name })}
              value={content}
              maxLength={512}
              onInput={(next) =>
                put(labels.map(([each, old]) => [each, each === name ? next : old]))
              }
            />
            <IconButton
              small
              icon={X}
              label={text('make.remove', { name })}
              onClick={() => put(labels.filter(([each]) => each !== name))}
            />
          </li>
        ))}
      </ul>
      {labels.length < MOST && <NewLabel onAdd={add} />}
    </>
  );
}

function NewLabel({ onAdd }: { readonly onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  const isBad = name !== '' && !NAME.test(name);
  const add = () => {
    if (!NAME.test(name)) return;
    onAdd(name);
    setName('');
  };
  return (
    <div class="new-label">
      <Field
        label={text('make.labels.name')}
        placeholder={text('make.labels.name')}
        value={name}
        bad={isBad}
        maxLength={64}
        spellcheck={false}
        onInput={setName}
        onKeyDown={(event) => event.key === 'Enter' && add()}
      />
      <Button icon={Plus} disabled={name === '' || isBad} onClick={add}>
        {text('make.labels.add')}
      </Button>
      {isBad && <p class="bad">{text('make.labels.characters')}</p>}
    </div>
  );
}
