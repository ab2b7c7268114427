import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { JOB_STATUSES, type JobFilter } from '../../jobs/job-filter.ts';
import type { Router } from '../../router.ts';

/** Returns the filter in the address. The last filter is kept in other views, whose addresses contain no filter. */
export function watchFilter(router: Router): ReadonlySignal<JobFilter> {
  const filter = signal<JobFilter>(readFilter(router.query.peek()));
  effect(() => {
    if (router.route.value.view !== 'images') return;
    const next = readFilter(router.query.value);
    if (JSON.stringify(next) !== JSON.stringify(filter.peek())) filter.value = next;
  });
  return filter;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reads the filter from the address. Unknown values are ignored. */
export function readFilter(query: URLSearchParams): JobFilter {
  const show = query.get('show');
  const operation = query.get('operation');
  const text = (name: string) => query.get(name) || undefined;
  const date = (name: string) => {
    const value = query.get(name) ?? '';
    return DATE.test(value) && Date.parse(value) >= 0 ? value : undefined;
  };
  const size = text('size');
  return {
    search: query.get('q') ?? '',
    show: show === 'favourites' || show === 'hidden' ? show : 'all',
    status: JOB_STATUSES.find((each) => each === query.get('status')),
    provider: text('provider'),
    model: text('model'),
    size: size !== undefined && /^\d{1,5}[x:]\d{1,5}$/.test(size) ? size : undefined,
    operation: operation === 'generate' || operation === 'edit' ? operation : undefined,
    label: text('label'),
    from: date('from'),
    to: date('to'),
  };
}

/** Returns the query of the address for a filter, including the parts to remove. */
export function toQuery(filter: JobFilter): Readonly<Record<string, string | undefined>> {
  const { search, show, ...parts } = filter;
  return { ...CLEARED, ...parts, q: search, show: show === 'all' ? undefined : show };
}

/** Returns the path of the list under a filter, below /dashboard. */
export function toPath(filter: JobFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(toQuery(filter))) if (value) query.set(name, value);
  return `?${query}`;
}

/** The query changes that clear the filter. */
export const CLEARED = {
  q: undefined,
  show: undefined,
  status: undefined,
  provider: undefined,
  model: undefined,
  size: undefined,
  operation: undefined,
  label: undefined,
  from: undefined,
  to: undefined,
};
