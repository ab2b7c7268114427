import { Grid3x3, ListChecks, Search, Square, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import { Field } from '../../controls/field.tsx';
import { Icon } from '../../controls/icon.tsx';
import { IconButton } from '../../controls/icon-button.tsx';
import { Slider } from '../../controls/slider.tsx';
import { usePage } from '../../page-context.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/text.ts';
import { LARGEST, SMALLEST, setTileScale, tileScale } from '../state/tile-scale.ts';
import { useGallery } from '../state/use-gallery.ts';
import { FilterMenu } from './filter-menu.tsx';
import { ShowPills } from './show-pills.tsx';
import './gallery-tools.css';

/** What is shown of the history, and how large. */
export function GalleryTools() {
  const { state } = useGallery();
  const choosing = state.selection.active.value;
  const toggle = () => (choosing ? state.selection.clear() : state.selection.start());
  return (
    <div class="gallery-tools">
      <SearchField />
      <ShowPills />
      <FilterMenu />
      <span class="grow only-wide" />
      <span class="density">
        <Icon of={Grid3x3} small />
        <Slider
          label={text('gallery.tileSize')}
          value={tileScale.value}
          min={SMALLEST}
          max={LARGEST}
          step={0.05}
          onChange={setTileScale}
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

/** From the last key to the request, so that a word is not asked for letter by letter. */
const PAUSE_MS = 150;

/** Typing never waits: the list follows the words when they have come to rest. */
function SearchField() {
  const { router } = usePage();
  const { state } = useGallery();
  const { search } = state.filter.value;
  const [typed, setTyped] = useState(search);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  /** The words of the address as this field knows them. */
  const asked = useRef(search);
  // The address also changes by Back and by links. Where it has taken what was typed here, more may be typed by now.
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
      autoComplete="off"
      spellcheck={false}
      inputRef={field}
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
