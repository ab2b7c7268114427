import { History } from 'lucide';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { unwrap } from '../../api/api.ts';
import type { UsedPrompt } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { MenuGroup } from '../../controls/menu.tsx';
import { useImage } from '../../images/use-image.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';
import { toWordQuery, typedWords } from '../../jobs/search-words.ts';
import { openPrompt } from '../../make/open-prompt.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { toQuery } from '../state/filter-address.ts';
import { useGallery } from '../state/use-gallery.ts';
import { STEP } from '../tools/filter-group.tsx';
import { CHIP_NAMES, chipValue } from '../tools/filter-values.ts';
import { formatTotal } from '../tools/found-count.tsx';
import { PANEL_ID } from './panel-id.ts';
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
const MAX_SEARCHES = 5;
const MAX_PROMPTS = 6;

/** Shows earlier searches and prompts. The keys of the field move through them. */
export function SearchPanel(props: PanelProps) {
  const { typed, option } = props;
  const { state } = useGallery();
  const searches = matching(state.history.searches.value, typed).slice(0, MAX_SEARCHES);
  const read = usePrompts(typed);
  const prompts = read === 'failed' ? [] : (read ?? []);
  const choose = useChoices(props, searches, prompts);
  const words = typedWords(typed).join(' ');
  const isEmpty = typeof read === 'object' && searches.length + prompts.length === 0;
  return (
    <div class="search-panel float">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field choose an option */}
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
          <MenuGroup title={text('gallery.earlier.searches')}>
            {searches.map((search, at) => (
              <Choice key={at} id={`earlier-search-${at}`} current={option}>
                <Icon of={History} small />
                <span class="cut grow">{describe(search)}</span>{' '}
                <small class="num">
                  {formatTotal({ count: search.count, at_least: search.isMore })}
                </small>
              </Choice>
            ))}
          </MenuGroup>
        )}
        {prompts.length > 0 && (
          <MenuGroup
            title={
              words === ''
                ? text('gallery.earlier.prompts')
                : text('gallery.earlier.with', { words })
            }
          >
            {prompts.map((used, at) => (
              <Choice key={used.job.id} id={`earlier-prompt-${at}`} current={option}>
                <Picture used={used} />
                <span class="prompt grow">
                  <Marked text={used.prompt} words={typed} />
                </span>{' '}
                <small class="reuse">{text('gallery.earlier.reuse')}</small>
              </Choice>
            ))}
          </MenuGroup>
        )}
      </div>
      {isEmpty && (
        <p class="soft nothing">
          {text(words === '' ? 'gallery.earlier.nothing' : 'gallery.earlier.none')}
        </p>
      )}
      {read === 'failed' && <p class="soft nothing">{text('gallery.earlier.failed')}</p>}
      <KeyHints />
    </div>
  );
}

function KeyHints() {
  return (
    <p class="keys faint" aria-hidden="true">
      <kbd>↵</kbd> {text('gallery.earlier.keySearch')} <kbd>Ctrl ↵</kbd>{' '}
      {text('gallery.earlier.keyPrompt')} <kbd>“ ”</kbd> {text('gallery.earlier.keyExact')}{' '}
      <kbd>-</kbd> {text('gallery.earlier.keyWithout')}
    </p>
  );
}

/** Binds the keys of the field to the options. Returns the function that chooses an option by its id. */
function useChoices(
  { typed, field, option, onOption, onClose }: PanelProps,
  searches: readonly EarlierSearch[],
  prompts: readonly UsedPrompt[],
) {
  const page = usePage();
  const ids = [
    ...searches.map((_, at) => `earlier-search-${at}`),
    ...prompts.map((_, at) => `earlier-prompt-${at}`),
  ];
  // A key may arrive before the change of the previous key has been rendered.
  const current = useRef(option);
  current.current = option;

  function reuse(prompt: string): void {
    onClose();
    page.draft.apply({ prompt });
    openPrompt(page.router);
  }

  function choose(id: string, isReuse: boolean): void {
    const at = ids.indexOf(id);
    const [search, used] = [searches[at], prompts[at - searches.length]];
    if (isReuse && used !== undefined) {
      reuse(used.prompt);
      return;
    }
    onClose();
    if (search !== undefined) page.router.setQuery(toQuery(search.filter), STEP);
    else if (used !== undefined) page.router.setQuery({ q: toPhrase(used.prompt) }, STEP);
  }

  function move(step: number): void {
    const at = ids.indexOf(current.current ?? '');
    // From the field, the keys lead to the first and to the last option.
    const next = at < 0 && step < 0 ? ids.length - 1 : (at + step + ids.length) % ids.length;
    current.current = ids[next];
    onOption(ids[next]);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const isReuse = event.ctrlKey || event.metaKey;
    const isTyped = isReuse && typed.trim() !== '';
    if (step !== undefined) move(step);
    else if (event.key !== 'Enter') return;
    else if (current.current !== undefined) choose(current.current, isReuse);
    else if (isTyped) reuse(typed);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  useEffect(() => {
    const input = field.current;
    input?.addEventListener('keydown', onKeyDown, { capture: true });
    return () => input?.removeEventListener('keydown', onKeyDown, { capture: true });
  });
  return choose;
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
  const chips = CHIP_NAMES.map((name) => chipValue(name, filter));
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

/** Reads the prompts that contain the typed words. Returns undefined until the first reply. */
function usePrompts(typed: string): readonly UsedPrompt[] | 'failed' | undefined {
  const { api, connection } = usePage();
  const { value: returns } = connection.returns;
  const [prompts, setPrompts] = useState<readonly UsedPrompt[] | 'failed'>();
  const q = typed.trim() === '' ? undefined : toWordQuery(typed);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      const query = { limit: MAX_PROMPTS, ...(q !== undefined && { q }) };
      unwrap(api.GET('/v1/prompts', { params: { query }, signal })).then(
        ({ items }) => setPrompts(items),
        () => signal.aborted || setPrompts('failed'),
      );
    }, 150);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [q, api, returns]);
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
