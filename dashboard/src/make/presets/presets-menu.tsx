import { Bookmark, Trash2 } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { Preset } from '../../api/schemas.ts';
import { Button } from '../../controls/button.tsx';
import { IconButton } from '../../controls/icon-button.tsx';
import { Menu } from '../../controls/menu.tsx';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/say-failure.ts';
import { text } from '../../text/text.ts';
import { SavePreset } from './save-preset.tsx';
import './presets-menu.css';

/** Presets: apply one, save the draft as one, replace, delete. */
export function PresetsMenu() {
  const { presets, toasts } = usePage();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  async function open(): Promise<void> {
    setOpen(true);
    await attempt(toasts, presets.read);
  }

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <Button
        buttonRef={button}
        look="quiet"
        size="small"
        icon={Bookmark}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => (isOpen ? close() : void open())}
      >
        {text('presets.title')}
      </Button>
      {isOpen && (
        <Menu
          anchor={button}
          class="presets-menu"
          role="dialog"
          placement="bottom-end"
          label={text('presets.title')}
          onClose={close}
        >
          <PresetList onDone={close} />
          <SavePreset onDone={close} />
        </Menu>
      )}
    </>
  );
}

function PresetList({ onDone }: { readonly onDone: () => void }) {
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

/** Deleting cannot be undone, presets belong to all clients: it takes a second press. */
function PresetRow({ preset, onDone }: { readonly preset: Preset; readonly onDone: () => void }) {
  const { draft, presets, toasts, undo } = usePage();
  const [isSure, setSure] = useState(false);
  const { name, description, template } = preset;

  function apply(): void {
    const restore = draft.snapshot();
    const prompt = template.prompt ?? draft.settings.peek().prompt;
    draft.apply({ ...template, ...(prompt && { prompt }) });
    undo.offer(text('presets.applied', { name }), restore);
    onDone();
  }

  return (
    <li>
      <button type="button" class="apply" onClick={apply}>
        <span class="cut">{name}</span>
        <small class="cut">{description ?? template.prompt}</small>
      </button>
      {isSure ? (
        <Button
          size="small"
          look="danger"
          onClick={() => void attempt(toasts, () => presets.remove(name))}
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
