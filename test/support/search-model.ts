import fc from 'fast-check';
import type { JobSize } from '../../lib/contract/resources/job-filter.ts';
import type { SearchTerms } from '../../lib/contract/resources/search-terms.ts';
import type { JobListPage } from '../../lib/jobs/job-store-port.ts';
import { CREATED_SECS } from './jobs.ts';

// Few letters, so that terms are found. Some have a meaning in queries, in patterns or in case folding.
const letters = fc.constantFrom(
  ...['a', 'A', 'b', 'B', ' ', '%', '_', '"', "'", '*', '(', '-', ':', '^', '\\', '\t', '\u0001'],
  ...['é', 'É', 'e\u0301', 'ß', 'ẞ', 'ς', 'Σ', 'i', 'İ', 'ı', 'ſ', 'S', '\u212a', 'k', '\ufb05'],
  ...[
    '漢',
    '字',
    '😀',
    '😁',
    '👩‍👩‍👧',
    '\u{10400}',
    '\u{10428}',
    'ا',
    '\u200f',
    'שלום',
    '\u13f0',
    '\u13f8',
  ],
);

/** Generates prompts. */
export const searchedPrompts = fc.string({ unit: letters, minLength: 1, maxLength: 12 });

const term = fc.string({ unit: letters, minLength: 1, maxLength: 4 });

/** Generates terms that some of these prompts match. */
const searchTerms = fc.record({
  all: fc.array(term, { maxLength: 3 }),
  none: fc.array(term, { maxLength: 2 }),
});

export const searchedStatuses = fc.constantFrom('queued' as const, 'succeeded', 'failed');

export const SEARCHED_SIZES = ['auto', '1024x1024', '1536x1024', '1530x1024'];

/** Filters by facts, some of which match jobs of these sizes. */
const facts = {
  model: fc.constantFrom('sandbox-image', 'sandbox-sketch', 'unused'),
  operation: fc.constantFrom('generate' as const, 'edit' as const),
  size: fc.constantFrom<JobSize>(
    { kind: 'auto' },
    { kind: 'pixels', width: 1536, height: 1024 },
    { kind: 'ratio', width: 3, height: 2 },
  ),
  createdFromSecs: fc.integer({ min: CREATED_SECS, max: CREATED_SECS + 3 }),
  createdBeforeSecs: fc.integer({ min: CREATED_SECS, max: CREATED_SECS + 3 }),
};

/** Generates searches in either order for jobs with a sequence below `beyond`, in these scopes and by these providers. */
export function searchRequests(of: {
  readonly scopes: readonly string[];
  readonly providers: readonly string[];
  readonly labels?: readonly string[];
  readonly groups?: readonly string[];
  /** True if the searches also filter by facts of the request. */
  readonly withFacts?: boolean;
  readonly beyond: number;
}) {
  const filter = fc.record(
    {
      terms: searchTerms,
      visibility: fc.constantFrom('active' as const, 'hidden' as const, 'all' as const),
      status: searchedStatuses,
      favorite: fc.boolean(),
      provider: fc.constantFrom(...of.providers, 'unused'),
      ...(of.labels && { label: fc.constantFrom(...of.labels, 'unused') }),
      ...(of.groups && { group: fc.constantFrom(...of.groups, 'unused') }),
      ...(of.withFacts && facts),
    },
    { requiredKeys: ['terms', 'visibility'] },
  );
  const request = fc.record({
    scope: fc.constantFrom(...of.scopes, 'unused'),
    limit: fc.integer({ min: 1, max: 10 }),
    filter,
  });
  const begin = fc.oneof(
    fc.record({ before: fc.integer({ min: 1, max: of.beyond }) }, { requiredKeys: [] }),
    fc.record({ after: fc.nat(of.beyond) }),
  );
  return fc.tuple(request, begin).map(([asked, page]) => ({ ...asked, ...page }));
}

/** Returns the sequences of a page and of the pages after it, in their order. */
export function listedFrom(sequences: readonly number[], page: JobListPage): readonly number[] {
  if ('after' in page) {
    return sequences.filter((sequence) => sequence > page.after).toSorted((a, b) => a - b);
  }
  const { before = Number.POSITIVE_INFINITY } = page;
  return sequences.filter((sequence) => sequence < before).toSorted((a, b) => b - a);
}

/** Returns true if the prompt matches the terms, with the case folding of the engine. */
export function matchesNaively(prompt: string, { all, none }: SearchTerms): boolean {
  return (
    all.every((text) => toPattern(text).test(prompt)) &&
    !none.some((text) => toPattern(text).test(prompt))
  );
}

function toPattern(text: string): RegExp {
  const literally = [...text].map((letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
  return new RegExp(literally.join(''), 'iu');
}
