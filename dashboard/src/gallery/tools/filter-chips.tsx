import { ChevronDown, X } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../../controls/button.tsx';
import { Menu, useMenu } from '../../controls/menu.tsx';
import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import { STEP } from './filter-group.tsx';
import { CHIP_NAMES, CHIPS, type ChipName, chipValue } from './filter-values.ts';
import './filter-chips.css';

const ChipMenu = lazyView(async () => (await import('./chip-menu.tsx')).ChipMenu);

/** Renders the filters by facts of the request. A filter that is set shows its value and can be removed. */
export function FilterChips() {
  const chips = useRef<HTMLDivElement>(null);
  const { state } = useGallery();
  const set = CHIP_NAMES.filter((name) => chipValue(name, state.filter.value) !== undefined).join();
  useLayoutEffect(() => {
    // The filters that are set are the first of the row, which is wider than a phone.
    if (set !== '') chips.current?.closest('.filter-row')?.scrollTo({ left: 0 });
  }, [set]);
  return (
    <div ref={chips} class="filter-chips" role="group" aria-label={text('gallery.filters')}>
      {CHIP_NAMES.map((name) => (
        <Chip key={name} name={name} />
      ))}
    </div>
  );
}

function Chip({ name }: { readonly name: ChipName }) {
  const { router } = usePage();
  const { state } = useGallery();
  const { isOpen, button, menu } = useMenu(name === 'date' ? 'dialog' : 'menu');
  const value = chipValue(name, state.filter.value);
  const title = text(`gallery.chip.${name}`);
  const named = value === undefined ? title : text('gallery.chip.value', { name: title, value });
  return (
    <>
      <span class={value === undefined ? 'fact' : 'fact is-set'}>
        <button type="button" class="pickable" {...button}>
          <span class={value === undefined ? '' : 'soft'}>{title}</span>
          {value !== undefined && (
            <>
              {' '}
              <span class="cut">{value}</span>
              <Icon of={ChevronDown} small />
            </>
          )}
        </button>
        {value !== undefined && (
          <button
            type="button"
            class="pickable"
            aria-label={text('gallery.chip.remove', { name: named })}
            onClick={() => {
              button.ref.current?.focus();
              router.setQuery(CHIPS[name], STEP);
            }}
          >
            <Icon of={X} small />
          </button>
        )}
      </span>
      {isOpen && (
        <Menu {...menu} label={title} class="chip-menu">
          <ChipMenu name={name} onClose={menu.onClose} />
        </Menu>
      )}
    </>
  );
}
