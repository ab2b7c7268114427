import { Check, Grid3x3, ListChecks, ListFilter, Search, Square, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Field, Slider } from '../../controls/inputs.tsx';
import { Menu, MenuGroup, MenuItem, useMenu } from '../../controls/menu.tsx';
import { JOB_STATUSES } from '../../jobs/job-feed.ts';
import { usePage } from '../../page-context.ts';
import { credentialMarks, LARGEST, SMALLEST, tileScale } from '../../shell/preferences.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import './gallery-tools.css';

export function GalleryTools() {
  const { state } = useGallery();
  const choosing = state.selection.active.value;
  const toggle = () => (choosing ? state.selection.clear() : state.selection.start());
  return (
    <div class="gallery-tools row">
      <SearchField />
      <ShowPills />
      <FilterMenu />
      <span class="grow only-wide" />
      <span class="density row">
        <Icon of={Grid3x3} small />
        <Slider
          label={text('gallery.tileSize')}
          value={tileScale.value}
          min={SMALLEST}
          max={LARGEST}
          step={0.05}
          onChange={(scale) => {
            tileScale.value = scale;
          }}
        />
        <Icon of={Square} />
      </span>
      <Button look="quiet" class="only-wide" aria-pressed={choosing} onClick={toggle}>
        {text('gallery.select')}
      </Button>
      <IconButton
        icon={ListChecks}
        label={text('gallery.select')}
        class="only-narrow"
        pressed={choosing}
        onClick={toggle}
      />
    </div>
  );
}

/** The delay between the last key press and the search request, in milliseconds. */
const PAUSE_MS = 150;

/** Renders the search field. The list is updated after a pause in typing, so that typing is never slowed down. */
function SearchField() {
  const { router } = usePage();
  const { state } = useGallery();
  const { search } = state.filter.value;
  const [typed, setTyped] = useState(search);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  /** The last search text that this field has read from the address or written to the address. */
  const asked = useRef(search);
  // The Back button and links also change the address. Text that has been typed since the last search request is kept.
  useEffect(() => {
    if (search === asked.current) return;
    asked.current = search;
    clearTimeout(timer.current);
    setTyped(search);
  }, [search]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useShortcuts(
    {
      '/': (event) => {
        event.preventDefault();
        field.current?.focus();
        field.current?.select();
      },
    },
    router.route.value.view === 'images',
  );

  function request(next: string, pause = PAUSE_MS): void {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (router.route.peek().view !== 'images') return;
      asked.current = next;
      router.setQuery({ q: next });
    }, pause);
  }

  return (
    <Field
      type="search"
      label={text('gallery.search')}
      placeholder={text('gallery.search')}
      value={typed}
      maxLength={256}
      ref={field}
      before={<Icon of={Search} />}
      after={
        typed === '' ? (
          <kbd class="only-wide">/</kbd>
        ) : (
          <IconButton
            small
            icon={X}
            label={text('gallery.clearSearch')}
            onClick={() => {
              request('', 0);
              field.current?.focus();
            }}
          />
        )
      }
      onInput={(value) => request(value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || typed === '') return;
        event.stopPropagation();
        request('', 0);
      }}
    />
  );
}

const PILLS = [
  { name: 'all', query: {} },
  { name: 'favourites', query: { show: 'favourites' } },
  { name: 'failed', query: { status: 'failed' } },
  { name: 'hidden', query: { show: 'hidden' } },
] as const;

/** Offers the most common filters as pills. A pill does not change the search and the provider. */
function ShowPills() {
  const { router } = usePage();
  const { state } = useGallery();
  const { show, status } = state.filter.value;
  const chosen = show === 'all' ? (status === 'failed' ? 'failed' : 'all') : show;
  return (
    <div class="show-pills" role="group" aria-label={text('gallery.show')}>
      {PILLS.map(({ name, query }) => (
        <button
          key={name}
          type="button"
          class="tab pickable"
          aria-pressed={name === chosen}
          onClick={() => router.setQuery({ show: undefined, status: undefined, ...query })}
        >
          {text(`gallery.show.${name}`)}
        </button>
      ))}
    </div>
  );
}

function FilterMenu() {
  const { router, providers } = usePage();
  const { state } = useGallery();
  const { isOpen, button, menu } = useMenu();
  const { status, provider } = state.filter.value;
  const list = providers.list.value ?? [];
  const nameOf = (name: string) => list.find((each) => each.name === name)?.display_name ?? name;
  const chosen = [status && text(`gallery.status.${status}`), provider && nameOf(provider)];
  const marks = credentialMarks.value;
  const isActive = status !== undefined || provider !== undefined;
  const label = chosen.filter(Boolean).join(text('list.separator')) || text('gallery.filter');
  return (
    <>
      <Button
        {...button}
        look={isActive ? 'plain' : 'quiet'}
        icon={ListFilter}
        class={isActive ? 'filter-button is-active' : 'filter-button'}
        aria-label={label}
      >
        <span class="cut">{label}</span>
      </Button>
      {isOpen && (
        <Menu {...menu} label={text('gallery.filter')}>
          <FilterGroup
            title={text('gallery.status')}
            options={JOB_STATUSES.map((each) => [each, text(`gallery.status.${each}`)])}
            chosen={status}
            onChoose={(next) => router.setQuery({ status: next })}
          />
          <FilterGroup
            title={text('job.failure.provider')}
            options={list.map(({ name, display_name }) => [name, display_name])}
            chosen={provider}
            onChoose={(next) => router.setQuery({ provider: next })}
          />
          <MenuGroup title={text('gallery.marks')}>
            <MenuItem
              role="menuitemcheckbox"
              selected={marks === 'on'}
              {...(marks === 'on' && { icon: Check })}
              onChoose={() => {
                credentialMarks.value = marks === 'on' ? 'off' : 'on';
              }}
            >
              {text('gallery.marks.credentials')}
            </MenuItem>
          </MenuGroup>
        </Menu>
      )}
    </>
  );
}

interface FilterGroupProps {
  readonly title: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly chosen: string | undefined;
  readonly onChoose: (value: string | undefined) => void;
}

function FilterGroup({ title, options, chosen, onChoose }: FilterGroupProps) {
  const all = [[undefined, text('gallery.any')] as const, ...options];
  return (
    <MenuGroup title={title}>
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
    </MenuGroup>
  );
}
