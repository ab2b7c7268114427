import { Check, Grid3x3, ListChecks, ListFilter, Square } from 'lucide';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Slider } from '../../controls/inputs.tsx';
import { Menu, MenuGroup, MenuItem, useMenu } from '../../controls/menu.tsx';
import { JOB_STATUSES } from '../../jobs/job-filter.ts';
import { usePage } from '../../page-context.ts';
import { credentialMarks, LARGEST, SMALLEST, tileScale } from '../../shell/preferences.ts';
import { text } from '../../text/text.ts';
import { SearchField } from '../search/search-field.tsx';
import { useGallery } from '../state/use-gallery.ts';
import { FilterChips } from './filter-chips.tsx';
import { FilterGroup, STEP } from './filter-group.tsx';
import { FoundCount } from './found-count.tsx';
import './gallery-tools.css';

/** Renders the search, the filters and the number of jobs that match. */
export function GalleryTools() {
  const { state } = useGallery();
  const choosing = state.selection.active.value;
  const toggle = () => (choosing ? state.selection.clear() : state.selection.start());
  return (
    <div class="gallery-tools stack">
      <div class="search-row row">
        <SearchField />
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
      <div class="filter-row row">
        <ShowPills />
        <FilterChips />
        <FilterMenu />
        <FoundCount />
      </div>
    </div>
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
          onClick={() => router.setQuery({ show: undefined, status: undefined, ...query }, STEP)}
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
            onChoose={(next) => router.setQuery({ status: next }, STEP)}
          />
          <FilterGroup
            title={text('job.failure.provider')}
            options={list.map(({ name, display_name }) => [name, display_name])}
            chosen={provider}
            onChoose={(next) => router.setQuery({ provider: next }, STEP)}
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
