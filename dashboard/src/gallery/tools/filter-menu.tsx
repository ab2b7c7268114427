import { Check, ListFilter } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import { Menu } from '../../controls/menu.tsx';
import { MenuItem } from '../../controls/menu-item.tsx';
import { JOB_STATUSES } from '../../jobs/job-filter.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';

/** Which states and whose images are shown. */
export function FilterMenu() {
  const { router, providers } = usePage();
  const { state } = useGallery();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { status, provider } = state.filter.value;
  const list = providers.list.value ?? [];
  const nameOf = (name: string) => list.find((each) => each.name === name)?.display_name ?? name;
  const chosen = [status && text(`gallery.status.${status}`), provider && nameOf(provider)];
  const isActive = status !== undefined || provider !== undefined;
  const label = chosen.filter(Boolean).join(text('list.separator')) || text('gallery.filter');

  function choose(changes: Readonly<Record<string, string | undefined>>): void {
    router.setQuery(changes);
    setOpen(false);
    button.current?.focus();
  }

  return (
    <>
      <Button
        look={isActive ? 'plain' : 'quiet'}
        icon={ListFilter}
        class={isActive ? 'filter-button is-active' : 'filter-button'}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        buttonRef={button}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="cut">{label}</span>
      </Button>
      {isOpen && (
        <Menu anchor={button} label={text('gallery.filter')} onClose={() => setOpen(false)}>
          <Group
            title={text('gallery.status')}
            options={JOB_STATUSES.map((each) => [each, text(`gallery.status.${each}`)])}
            chosen={status}
            onChoose={(next) => choose({ status: next })}
          />
          <Group
            title={text('gallery.provider')}
            options={list.map(({ name, display_name }) => [name, display_name])}
            chosen={provider}
            onChoose={(next) => choose({ provider: next })}
          />
        </Menu>
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly options: readonly (readonly [string, string])[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

function Group({ title, options, chosen, onChoose }: GroupProps) {
  const all = [[undefined, text('gallery.any')] as const, ...options];
  return (
    <div role="group" aria-label={title}>
      <div class="menu-head" aria-hidden="true">
        {title}
      </div>
      {all.map(([value, label]) => (
        <MenuItem
          key={value ?? ''}
          role="menuitemradio"
          selected={value === chosen}
          {...(value === chosen && { icon: Check })}
          onChoose={() => onChoose(value)}
        >
          {label}
        </MenuItem>
      ))}
    </div>
  );
}
