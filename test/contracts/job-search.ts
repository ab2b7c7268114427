import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SearchTerms } from '../../lib/contract/resources/search-terms.ts';
import type {
  JobListPage,
  JobPageRequest,
  JobSearch,
  JobSearchFilter,
  JobStore,
  JobSummary,
  NewJob,
} from '../../lib/jobs/job-store-port.ts';
import { matchesFacts } from '../support/job-histories.ts';
import { CREATED_SECS, FAILURE, jobRequest, newJob, succeeded, WIDE } from '../support/jobs.ts';
import {
  listedFrom,
  matchesNaively,
  SEARCHED_SIZES,
  searchedPrompts,
  searchedStatuses,
  searchRequests,
} from '../support/search-model.ts';

interface Opened {
  readonly search: JobSearch;
  /** The searched jobs. */
  readonly jobs: JobStore;
  close(): Promise<void>;
}

const SCOPES = ['anonymous', 'other'];
const LABELS = ['cats', 'Füchse'];
const GROUPS = ['lake', 'hill'];
const ALL = { visibility: 'all' } as const;

const FAILED = { status: 'failed', completedSecs: 9, error: FAILURE } as const;

const jobsInStates = fc.record({
  scope: fc.constantFrom(...SCOPES),
  status: searchedStatuses,
  provider: fc.constantFrom('sandbox', 'comfy'),
  isFavorite: fc.boolean(),
  isHidden: fc.boolean(),
  labels: fc.subarray(LABELS),
  group: fc.option(fc.constantFrom(...GROUPS), { nil: undefined }),
  size: fc.constantFrom(...SEARCHED_SIZES),
  operation: fc.constantFrom('generate' as const, 'edit' as const),
  createdSecs: fc.integer({ min: CREATED_SECS, max: CREATED_SECS + 2 }),
  prompt: searchedPrompts.filter((prompt) => prompt.trim() !== ''),
});

const someJobs = fc.array(jobsInStates, { minLength: 30, maxLength: 30 });

type JobInState = typeof jobsInStates extends fc.Arbitrary<infer Row> ? Row : never;

const requests = searchRequests({
  scopes: SCOPES,
  providers: ['sandbox', 'comfy'],
  labels: LABELS,
  groups: GROUPS,
  withFacts: true,
  beyond: 40,
});

/** The contract of every job search. */
export function describeJobSearch(label: string, open: () => Promise<Opened>): void {
  describe(`JobSearch: ${label}`, () => {
    let opened: Opened;

    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    async function submitted(prompt: string, overrides: Partial<NewJob> = {}) {
      const request = jobRequest({ ...overrides.request, prompt });
      return (await opened.jobs.submit(newJob({ ...overrides, request }), WIDE)).job;
    }

    /** Resolves with the page of the jobs of `anonymous` that match these terms. */
    async function found(terms: Partial<SearchTerms>, page: Partial<JobPageRequest> = {}) {
      const filter: JobSearchFilter = { ...ALL, terms: { all: [], none: [], ...terms } };
      const { signal } = new AbortController();
      return opened.search.find('anonymous', filter, { limit: 100, ...page }, signal);
    }

    /** Adds the jobs. The jobs that end come first, so that each is the only queued job when it is claimed. */
    async function add(rows: readonly JobInState[]) {
      const { jobs } = opened;
      const [active, ended] = [
        rows.filter(({ status }) => status === 'queued'),
        rows.filter(({ status }) => status !== 'queued'),
      ];
      for (const { status, isFavorite, isHidden, group, operation, prompt, ...facts } of [
        ...ended,
        ...active,
      ]) {
        const { scope } = facts;
        const { id, sequence } = await submitted(prompt, {
          ...facts,
          request: jobRequest({ operation }),
          group: group === undefined ? undefined : { id: group, row: 0, column: 0 },
        });
        if (status !== 'queued') {
          await jobs.claim(8);
          await jobs.settle(sequence, status === 'failed' ? FAILED : succeeded(9));
        }
        const deleted = isHidden && status !== 'queued';
        await jobs.update(scope, id, { atSecs: 9, favorite: isFavorite, deleted });
      }
    }

    async function listed(scope: string): Promise<readonly JobSummary[]> {
      return (await opened.jobs.list(scope, ALL, { limit: 1000 })).items;
    }

    test('a search finds the same jobs as a scan of all jobs, under every filter', async () => {
      const [rows] = fc.sample(someJobs, { numRuns: 1, seed: 7 });
      await add(rows ?? []);
      const known = new Map<string, readonly JobSummary[]>();
      for (const scope of SCOPES) known.set(scope, await listed(scope));

      const property = fc.asyncProperty(requests, async ({ scope, filter, ...page }) => {
        const expected = naively(known.get(scope) ?? [], filter, page);

        const { signal } = new AbortController();
        const { sequences, more } = await opened.search.find(scope, filter, page, signal);

        expect(sequences).toEqual(expected.slice(0, page.limit));
        expect(more).toBe(expected.length > page.limit);
      });
      await fc.assert(property, { numRuns: 150 });
    });

    test.each([
      ['a per cent sign', '100%', '100 per cent'],
      ['an underscore', 'a_b', 'axb'],
      ['a backslash', 'a\\b', 'ab'],
      ['spaces at both ends', ' fox ', 'fox'],
      ['a combining accent', 'e\u0301', 'é'],
      ['one letter', 'q', 'p'],
      ['two letters', 'qu', 'q'],
      ['letters of Chinese', '漢字', '字漢'],
    ])('a text with %s matches only itself', async (_, text, other) => {
      const job = await submitted(`before${text}behind`);
      await submitted(`before${other}behind`);

      expect(await found({ all: [text] })).toEqual({ sequences: [job.sequence], more: false });
    });

    test('the longest text is found in the longest prompt', async () => {
      const text = '😀x'.repeat(128);
      const job = await submitted(`${'y'.repeat(10_000)}${text.toUpperCase()}`);
      await submitted('😀x'.repeat(127));

      expect((await found({ all: [text] })).sequences).toEqual([job.sequence]);
    });

    test('pages follow each other without a gap, newest job first', async () => {
      for (let nth = 0; nth < 7; nth += 1) await submitted(nth === 3 ? 'a hen' : 'a red FOX');

      const first = await found({ all: ['fox'] }, { limit: 4 });
      const second = await found({ all: ['fox'] }, { limit: 4, before: first.sequences.at(-1)! });

      expect([first, second]).toEqual([
        { sequences: [7, 6, 5, 3], more: true },
        { sequences: [2, 1], more: false },
      ]);
    });

    test('a removed job is not found', async () => {
      const job = await submitted('a red fox');
      await opened.jobs.claim(8);
      await opened.jobs.settle(job.sequence, succeeded(9));
      const rule = { completedBeforeSecs: 10, maxRetained: 9, maxRetainedBytes: 1e9, batch: 9 };
      await opened.jobs.prune(rule);

      expect((await found({ all: ['fox'] })).sequences).toEqual([]);
    });

    test('a search whose signal has aborted rejects with the reason of the signal', async () => {
      const filter = { ...ALL, terms: { all: ['fox'], none: [] } };
      const signal = AbortSignal.abort(new Error('the client has gone'));

      const search = opened.search.find('anonymous', filter, { limit: 1 }, signal);

      await expect(search).rejects.toThrow('the client has gone');
    });
  });
}

function naively(
  jobs: readonly JobSummary[],
  filter: JobSearchFilter,
  page: JobListPage,
): readonly number[] {
  const { terms, status, visibility, favorite, provider, label, group } = filter;
  const matching = jobs
    .filter(({ prompt }) => matchesNaively(prompt, terms))
    .filter((job) => status === undefined || job.status === status)
    .filter((job) => favorite === undefined || job.favorite === favorite)
    .filter((job) => provider === undefined || job.provider === provider)
    .filter((job) => label === undefined || job.labels.includes(label))
    .filter((job) => group === undefined || job.group?.id === group)
    .filter((job) => matchesFacts(filter, job))
    .filter(({ deletedSecs }) => {
      return visibility === 'all' || (deletedSecs !== undefined) === (visibility === 'hidden');
    })
    .map(({ sequence }) => sequence);
  return listedFrom(matching, page);
}
