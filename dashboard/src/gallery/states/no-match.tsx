import { SearchX } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../controls/button.tsx';
import type { JobFilter } from '../../jobs/job-filter.ts';
import { readTotal, type Total } from '../../jobs/read-total.ts';
import { typedWords } from '../../jobs/search-words.ts';
import type { Page } from '../../page.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { CLEARED } from '../state/filter-address.ts';
import { STEP } from '../tools/filter-group.tsx';
import { CHIP_NAMES, CHIPS, chipValue } from '../tools/filter-values.ts';
import { formatTotal } from '../tools/found-count.tsx';
import { Blank } from './blank.tsx';
import './no-match.css';

/** A part of the filter that can be removed. */
interface Part {
  readonly name: string;
  readonly changes: Parameters<Page['router']['setQuery']>[0];
  readonly rest: JobFilter;
}

/** The maximum number of parts that are tried, because each is one request. */
const MAX_PARTS = 8;

/** Explains that no job matches, and names the words and filters without which jobs match. */
export function NoMatch({ filter }: { readonly filter: JobFilter }) {
  const { router } = usePage();
  const found = useCounts(filter);
  const isKnown = found !== undefined;
  return (
    <Blank
      icon={SearchX}
      title={text('gallery.none')}
      detail={text(isKnown && found.length > 0 ? 'gallery.none.inTheWay' : 'gallery.none.text')}
    >
      {isKnown && found.length > 0 && (
        <div class="in-the-way">
          {found.map(({ name, changes, total }) => (
            <Button key={name} onClick={() => router.setQuery(changes, STEP)}>
              <span class="cut">{text('gallery.none.without', { name })}</span>
              <span class="faint num">{formatTotal(total)}</span>
            </Button>
          ))}
        </div>
      )}
      <Button look="quiet" onClick={() => router.setQuery(CLEARED, STEP)}>
        {text('action.showAll')}
      </Button>
    </Blank>
  );
}

/** Returns the parts without which jobs match, with the numbers of these jobs. Undefined until they are counted. */
function useCounts(filter: JobFilter): readonly (Part & { readonly total: Total })[] | undefined {
  const { api, providers } = usePage();
  const [found, setFound] = useState<readonly (Part & { readonly total: Total })[]>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const nameOf = (provider: string) =>
      providers.list.peek()?.find((each) => each.name === provider)?.display_name ?? provider;
    const tried = partsOf(filter, nameOf).slice(0, MAX_PARTS);
    const counts = tried.map(async (part) => {
      const total = await readTotal(api, part.rest, signal);
      return total && total.count > 0 ? [{ ...part, total }] : [];
    });
    Promise.all(counts).then(
      (each) => setFound(each.flat()),
      () => signal.aborted || setFound([]),
    );
    return () => controller.abort();
  }, [filter, api, providers]);
  return found;
}

function partsOf(filter: JobFilter, nameOf: (provider: string) => string): readonly Part[] {
  const words = typedWords(filter.search);
  const ofWords = words.map((typed, at) => {
    const search = words.toSpliced(at, 1).join(' ');
    const name = text('gallery.none.word', { word: typed });
    return { name, changes: { q: search }, rest: { ...filter, search } };
  });
  const { show, status, provider } = filter;
  const without = (name: string, changes: Part['changes'], rest: Partial<JobFilter>) => ({
    name,
    changes,
    rest: { ...filter, ...rest },
  });
  const ofChips = CHIP_NAMES.flatMap((chip) => {
    const value = chipValue(chip, filter);
    if (value === undefined) return [];
    const name = text('gallery.chip.value', { name: text(`gallery.chip.${chip}`), value });
    return [without(name, CHIPS[chip], CHIPS[chip])];
  });
  return [
    ...ofWords,
    ...ofChips,
    ...(show === 'all'
      ? []
      : [without(text(`gallery.show.${show}`), { show: undefined }, { show: 'all' })]),
    ...(status === undefined
      ? []
      : [without(text(`gallery.status.${status}`), { status: undefined }, { status: undefined })]),
    ...(provider === undefined
      ? []
      : [without(nameOf(provider), { provider: undefined }, { provider: undefined })]),
  ];
}
