import { useSignalEffect } from '@preact/signals';
import { History, Search, X } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, IconButton } from '../../controls/button.tsx';
import { Field } from '../../controls/inputs.tsx';
import { isDefault, type JobFilter } from '../../jobs/job-filter.ts';
import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { leaveByEscape, useShortcuts } from '../../shell/shortcuts.ts';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import { PANEL_ID } from './panel-id.ts';
import './search-field.css';

const SearchPanel = lazyView(async () => (await import('./search-panel.tsx')).SearchPanel);

/**
 * The shortest and the longest delay between the last key press and the search request, in milliseconds. In between, the delay is half
 * of the time that the last search took, because a slow search would hold up the next key press. A key press after such a delay
 * without keys is requested at once if the jobs of the last search are shown.
 */
const PAUSE_MS = { shortest: 50, longest: 150 };

/** Renders the search field with its earlier searches and prompts. */
export function SearchField() {
  const remember = useRemember();
  const { typed, request, field } = useTypedSearch();
  const { isOpen, open, option, setOption } = usePanel(field);

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen && typed === '') leaveByEscape(event);
    if (event.key === 'Escape' && (isOpen || typed !== '')) {
      event.stopPropagation();
      // Without this, the browser clears the field.
      event.preventDefault();
      if (isOpen) open(false);
      else request('', 0);
    } else if (event.key === 'Enter' && !event.isComposing) {
      request(typed, 0);
      // Then the arrow keys move through the found images, and a phone hides its keyboard. The search is remembered.
      field.current?.blur();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      open(true);
    }
  }

  return (
    <div
      class="search-box"
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
        remember();
        open(false);
      }}
    >
      <Field
        type="search"
        role="combobox"
        label={text('gallery.search')}
        placeholder={text('gallery.search')}
        aria-expanded={isOpen}
        aria-controls={isOpen ? PANEL_ID : undefined}
        aria-autocomplete="list"
        aria-activedescendant={option}
        value={typed}
        maxLength={256}
        ref={field}
        before={<Icon of={Search} />}
        after={
          <FieldButtons
            typed={typed}
            isOpen={isOpen}
            onToggle={() => {
              field.current?.focus();
              open(!isOpen);
            }}
            onClear={() => {
              request('', 0);
              field.current?.focus();
            }}
          />
        }
        onInput={(value) => {
          setOption(undefined);
          request(value);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <SearchPanel
          typed={typed}
          field={field}
          option={option}
          onOption={setOption}
          onClose={() => open(false)}
        />
      )}
    </div>
  );
}

/** Keeps the state of the panel, which the key / opens. */
function usePanel(field: RefObject<HTMLInputElement | null>) {
  const { router } = usePage();
  const [isOpen, setOpen] = useState(false);
  /** The id of the option to which the arrow keys have moved. */
  const [option, setOption] = useState<string | undefined>(undefined);
  function open(wanted: boolean): void {
    setOption(undefined);
    setOpen(wanted);
  }
  useShortcuts(
    {
      '/': (event) => {
        event.preventDefault();
        field.current?.focus();
        field.current?.select();
        open(true);
      },
    },
    router.route.value.view === 'images',
  );
  return { isOpen, open, option, setOption };
}

/** Returns a function that remembers the search whose jobs are shown, as soon as the jobs have been counted. */
function useRemember(): () => void {
  const { state } = useGallery();
  const { feed, total, history } = state;
  const uncounted = useRef<JobFilter | undefined>(undefined);
  function add(): void {
    const { filter } = feed.value;
    const { value: found } = total;
    if (found === undefined || filter !== uncounted.current) return;
    uncounted.current = undefined;
    if (found.count > 0) history.add({ filter, count: found.count, isMore: found.at_least });
  }
  useSignalEffect(add);
  return () => {
    const { filter } = feed.peek();
    uncounted.current = isDefault(filter) ? undefined : filter;
    add();
  };
}

interface FieldButtonsProps {
  readonly typed: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onClear: () => void;
}

/** Renders the buttons in the search field, which show earlier searches and clear the text. */
function FieldButtons({ typed, isOpen, onToggle, onClear }: FieldButtonsProps) {
  return (
    <>
      {typed === '' && !isOpen && <kbd class="only-wide">/</kbd>}
      <IconButton
        small
        icon={History}
        label={text('gallery.earlier')}
        aria-expanded={isOpen}
        // The focus stays in the field, whose keys move through the list.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onToggle}
      />
      {typed !== '' && (
        <IconButton small icon={X} label={text('gallery.clearSearch')} onClick={onClear} />
      )}
    </>
  );
}

/** Keeps the typed text. The list is updated after a pause in typing, so that typing is never slowed down. */
function useTypedSearch() {
  const { router } = usePage();
  const { state } = useGallery();
  const { search } = state.filter.value;
  const [typed, setTyped] = useState(search);
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const lastKeyMs = useRef(Number.NEGATIVE_INFINITY);

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

  /** Returns the delay of the search for a key press. */
  function delayOf(pressedMs: number): number {
    const delay = Math.min(PAUSE_MS.longest, Math.max(PAUSE_MS.shortest, state.lastMs() / 2));
    const isFirst = pressedMs - lastKeyMs.current >= delay;
    lastKeyMs.current = pressedMs;
    const isShown = state.feed.peek().filter === state.filter.peek();
    return isFirst && isShown ? 0 : delay;
  }

  function request(next: string, delay = delayOf(performance.now())): void {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (router.route.peek().view !== 'images') return;
      asked.current = next;
      router.setQuery({ q: next });
    }, delay);
  }

  return { typed, request, field };
}
