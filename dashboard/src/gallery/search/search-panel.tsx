import { History } from 'lucide';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { unwrap } from '../../api/api.ts';
import type { UsedPrompt } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { useImage } from '../../images/use-image.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';
import { toWordQuery, typedWords } from '../../jobs/search-words.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { showDraft } from '../actions/job-actions.ts';
import { toQuery } from '../state/gallery-state.ts';
import { useGallery } from '../state/use-gallery.ts';
import { STEP } from '../tools/filter-group.tsx';
import { chipValue } from '../tools/filter-values.ts';
import { formatTotal } from '../tools/found-count.tsx';
import { PANEL_ID } from './search-field.tsx';
import type { EarlierSearch } from './search-history.ts';
import './search-panel.css';

interface PanelProps {
  readonly typed: string;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly option: string | undefined;
  readonly onOption: (id: string | undefined) => void;
  readonly onClose: () => void;
}

/** The maximum numbers of searches and prompts that are shown. */
const MOST_SEARCHES = 5;
const MOST_PROMPTS = 6;

/** Shows earlier searches and prompts. The keys of the field move through them. */
export function SearchPanel({ typed, field, option, onOption, onClose }: PanelProps) {
  const page = usePage();
  const { state } = useGallery();
  const searches = matching(state.history.searches.value, typed).slice(0, MOST_SEARCHES);
  const prompts = usePrompts(typed);
  const choices = [
    ...searches.map((search, at) => ({
      id: `earlier-search-${at}`,
      run: () => page.router.setQuery(toQuery(search.filter), STEP),
      reuse: undefined,
    })),
    ...prompts.map(({ prompt }, at) => ({
      id: `earlier-prompt-${at}`,
      run: () => page.router.setQuery({ q: toPhrase(prompt) }, STEP),
      reuse: () => {
        page.draft.apply({ prompt });
        showDraft(page);
      },
    })),
  ];

  function choose(id: string, isReuse: boolean): void {
    const chosen = choices.find((each) => each.id === id);
    if (chosen === undefined) return;
    onClose();
    if (isReuse && chosen.reuse) chosen.reuse();
    else chosen.run();
  }

  useEffect(() => {
    const input = field.current;
    if (input === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        event.preventDefault();
        const at = choices.findIndex(({ id }) => id === option);
        // From the field, the keys lead to the first and to the last choice.
        const next = at + step + (at < 0 && step < 0 ? 1 : 0);
        onOption(choices.at(next === choices.length ? -choices.length : next)?.id);
      } else if (event.key === 'Enter') {
        const isReuse = event.ctrlKey || event.metaKey;
        if (option !== undefined) {
          event.preventDefault();
          event.stopImmediatePropagation();
          choose(option, isReuse);
        } else if (isReuse && typed.trim() !== '') {
          event.preventDefault();
          event.stopImmediatePropagation();
          onClose();
          page.draft.apply({ prompt: typed });
          showDraft(page);
        }
      }
    };
    input.addEventListener('keydown', onKeyDown, { capture: true });
    return () => input.removeEventListener('keydown', onKeyDown, { capture: true });
  });

  const isEmpty = searches.length + prompts.length === 0;
  const words = typedWords(typed).join(' ');
  return (
    <div class="search-panel float">
      <div
        role="listbox"
        id={PANEL_ID}
        aria-label={text('gallery.earlier')}
        // A press must not take the focus out of the field, because the panel would close.
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => {
          const pressed = event.target instanceof Element ? event.target : undefined;
          const id = pressed?.closest('[role="option"]')?.id;
          if (id !== undefined) choose(id, pressed?.closest('.reuse') !== null);
        }}
      >
        {searches.length > 0 && (
          <div role="group" aria-label={text('gallery.earlier.searches')}>
            <p class="menu-head" aria-hidden="true">
              {text('gallery.earlier.searches')}
            </p>
            {searches.map((search, at) => (
              <Choice key={at} id={`earlier-search-${at}`} current={option}>
                <Icon of={History} small />
                <span class="cut grow">{describe(search)}</span>
                <small class="num">
                  {formatTotal({ count: search.count, at_least: search.isMore })}
                </small>
              </Choice>
            ))}
          </div>
        )}
        {prompts.length > 0 && (
          <div role="group" aria-label={text('gallery.earlier.prompts')}>
            <p class="menu-head" aria-hidden="true">
              {words === ''
                ? text('gallery.earlier.prompts')
                : text('gallery.earlier.with', { words })}
            </p>
            {prompts.map((used, at) => (
              <Choice key={used.job.id} id={`earlier-prompt-${at}`} current={option}>
                <Picture used={used} />
                <span class="prompt grow">
                  <Marked text={used.prompt} words={typed} />
                </span>
                <small class="reuse">{text('gallery.earlier.reuse')}</small>
              </Choice>
            ))}
          </div>
        )}
        {isEmpty && (
          <p class="soft nothing" role="option" aria-disabled="true" aria-selected="false">
            {text('gallery.earlier.none')}
          </p>
        )}
      </div>
      <p class="keys faint" aria-hidden="true">
        <kbd>↵</kbd> {text('gallery.earlier.keySearch')} <kbd>Ctrl ↵</kbd>{' '}
        {text('gallery.earlier.keyPrompt')} <kbd>“ ”</kbd> {text('gallery.earlier.keyExact')}{' '}
        <kbd>-</kbd> {text('gallery.earlier.keyWithout')}
      </p>
    </div>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly current: string | undefined;
  readonly children: ComponentChildren;
}

function Choice({ id, current, children }: ChoiceProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the current option
    <div id={id} role="option" class="choice pickable" aria-selected={id === current}>
      {children}
    </div>
  );
}

/** Returns the searches that contain the typed words. */
function matching(searches: readonly EarlierSearch[], typed: string): readonly EarlierSearch[] {
  const words = typedWords(typed.toLowerCase());
  return searches.filter((search) => {
    const described = describe(search).toLowerCase();
    return words.every((word) => described.includes(word));
  });
}

/** Describes a search by its words and its filters. */
function describe({ filter }: EarlierSearch): string {
  const chips = (['model', 'size', 'operation', 'label', 'date'] as const).map((name) =>
    chipValue(name, filter),
  );
  const { search, show, status, provider } = filter;
  const parts = [
    search,
    ...chips,
    show !== 'all' && text(`gallery.show.${show}`),
    status && text(`gallery.status.${status}`),
    provider,
  ];
  return parts.filter(Boolean).join(text('list.separator'));
}

/** Returns a search for a prompt. A long prompt is found by its beginning. */
function toPhrase(prompt: string): string {
  const plain = prompt.replaceAll(/["“”]/g, ' ');
  return toWordQuery(`"${[...plain].slice(0, 200).join('').trim()}"`);
}

/** Reads the prompts that contain the typed words. */
function usePrompts(typed: string): readonly UsedPrompt[] {
  const { api } = usePage();
  const [prompts, setPrompts] = useState<readonly UsedPrompt[]>([]);
  const q = typed.trim() === '' ? undefined : toWordQuery(typed);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      const query = { limit: MOST_PROMPTS, ...(q !== undefined && { q }) };
      // Without an answer, the panel shows the searches alone.
      unwrap(api.GET('/v1/prompts', { params: { query }, signal })).then(
        ({ items }) => setPrompts(items),
        () => signal.aborted || setPrompts([]),
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [q, api]);
  return prompts;
}

/** Shows the first image of the newest job with a prompt. */
function Picture({ used }: { readonly used: UsedPrompt }) {
  const [image] = shownArtifacts(used.job);
  const loaded = useImage(image && `/v1/artifacts/${image.id}/thumbnail?edge=256`);
  return <span class="picture">{loaded.state === 'ready' && <img src={loaded.url} alt="" />}</span>;
}

/** Marks the words of a search in a text. */
function Marked({ text: whole, words }: { readonly text: string; readonly words: string }) {
  const found = typedWords(words)
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replaceAll(/["“”]/g, '').toLowerCase())
    .filter((word) => word !== '');
  const shown = whole.slice(0, 300);
  const lower = shown.toLowerCase();
  const parts: ComponentChildren[] = [];
  let at = 0;
  while (at < shown.length) {
    const hits = found
      .map((word) => ({ word, from: lower.indexOf(word, at) }))
      .filter(({ from }) => from >= 0)
      .toSorted((a, b) => a.from - b.from || b.word.length - a.word.length);
    const [hit] = hits;
    if (hit === undefined) break;
    parts.push(shown.slice(at, hit.from));
    at = hit.from + hit.word.length;
    parts.push(<mark key={at}>{shown.slice(hit.from, at)}</mark>);
  }
  return (
    <>
      {parts}
      {shown.slice(at)}
    </>
  );
}
