import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JOB_STATUSES } from '../../lib/contract/resources/job.ts';
import type { JobFilter, JobStore } from '../../lib/jobs/job-store-port.ts';
import {
  GROUPS,
  type JobModel,
  jobHistories,
  LABELS,
  matchesFacts,
  PROVIDERS,
  SCOPES,
} from '../support/job-histories.ts';
import { CREATED_SECS, newJob, WIDE } from '../support/jobs.ts';

interface Opened {
  readonly store: JobStore;
  close(): Promise<void>;
}

/** Every combination of filters without a label and a group. */
export const FILTERS: readonly JobFilter[] = [undefined, ...JOB_STATUSES].flatMap((status) =>
  (['active', 'hidden', 'all'] as const).flatMap((visibility) =>
    [undefined, true, false].flatMap((favorite) =>
      [undefined, ...PROVIDERS].map((provider) => ({ visibility, status, favorite, provider })),
    ),
  ),
);

/** Filters with a label, in combination with each other filter. */
export const LABEL_FILTERS: readonly JobFilter[] = LABELS.flatMap((label) =>
  (['active', 'hidden', 'all'] as const).flatMap((visibility) => [
    { label, visibility },
    { label, visibility, status: 'succeeded' },
    { label, visibility, favorite: true, provider: 'sandbox' },
    { label, visibility, status: 'failed', favorite: false, provider: 'sandbox' },
  ]),
);

/** Filters with one of the groups, in combination with each other filter. */
export const GROUP_FILTERS: readonly JobFilter[] = GROUPS.slice(0, 1).flatMap((group) =>
  (['active', 'hidden', 'all'] as const).flatMap((visibility) => [
    { group, visibility },
    { group, visibility, label: 'cats' },
    { group, visibility, label: 'Füchse', status: 'queued', provider: 'sandbox' },
    { group, visibility, status: 'failed', favorite: false, provider: 'sandbox' },
  ]),
);

const LATER = CREATED_SECS + 1;

/** Filters by facts of the request, alone and in combination with each other filter. */
export const FACT_FILTERS: readonly JobFilter[] = (['active', 'hidden', 'all'] as const).flatMap(
  (visibility): readonly JobFilter[] => [
    { visibility, model: 'sandbox-image' },
    { visibility, operation: 'edit' },
    { visibility, operation: 'generate', status: 'succeeded' },
    { visibility, size: { kind: 'auto' } },
    { visibility, size: { kind: 'pixels', width: 640, height: 480 } },
    { visibility, size: { kind: 'pixels', width: 1024, height: 1024 }, favorite: false },
    { visibility, size: { kind: 'ratio', width: 3, height: 2 } },
    { visibility, size: { kind: 'ratio', width: 4, height: 3 }, provider: 'sandbox' },
    { visibility, createdFromSecs: LATER },
    { visibility, createdBeforeSecs: LATER, model: 'sandbox-sketch' },
    { visibility, label: 'cats', model: 'sandbox-sketch', createdFromSecs: CREATED_SECS },
    { visibility, group: 'lake', size: { kind: 'ratio', width: 3, height: 2 } },
    { visibility, group: 'lake', label: 'Füchse', operation: 'generate', favorite: true },
  ],
);

/**
 * The contract of the lists of every job store. Each property runs with `runs` histories, each in a new and empty store.
 */
export function describeJobLists(label: string, open: () => Promise<Opened>, runs: number): void {
  describe(`JobStore.list: ${label}`, () => {
    test('a list and its count have the same jobs as a scan of all jobs, under every filter, while jobs are added, changed and removed', async () => {
      await fc.assert(
        fc.asyncProperty(jobHistories, fc.integer({ min: 1, max: 7 }), async (history, limit) => {
          const { store, close } = await open();
          const model: JobModel = { jobs: new Map(), providers: new Map(), facts: new Map() };

          for (const step of history) await step(store, model);

          for (const scope of SCOPES) {
            for (const filter of [
              ...FILTERS,
              ...LABEL_FILTERS,
              ...GROUP_FILTERS,
              ...FACT_FILTERS,
            ]) {
              const shown = await allPages(store, scope, filter, limit);
              expect(shown).toEqual(naively(model, scope, filter));
              expect(await oldestFirst(store, scope, filter, limit)).toEqual(shown.toReversed());
              expect(await store.count(scope, filter, limit)).toBe(Math.min(shown.length, limit));
            }
          }
          await close();
        }),
        { numRuns: runs },
      );
    });

    test('paging oldest first ends with the jobs that were added meanwhile', async () => {
      const { store, close } = await open();
      const add = async () => (await store.submit(newJob(), WIDE)).job.sequence;
      const filter = { visibility: 'active', createdFromSecs: CREATED_SECS } as const;
      const before = [await add(), await add(), await add()];

      const first = await store.list('anonymous', filter, { after: 0, limit: 2 });
      const added = [await add(), await add()];
      const second = await store.list('anonymous', filter, { after: before[1] ?? 0, limit: 2 });
      const last = await store.list('anonymous', filter, { after: added[0] ?? 0, limit: 2 });

      const pages = [first, second, last];
      expect(pages.flatMap(({ items }) => items.map(({ sequence }) => sequence))).toEqual([
        ...before,
        ...added,
      ]);
      expect(pages.map(({ more }) => more)).toEqual([true, true, false]);
      await close();
    });

    test('paging visits every remaining job once, while jobs are added, changed and removed', async () => {
      await fc.assert(
        fc.asyncProperty(jobHistories, jobHistories, async (history, meanwhile) => {
          const { store, close } = await open();
          const model: JobModel = { jobs: new Map(), providers: new Map(), facts: new Map() };
          for (const step of history) await step(store, model);
          const before = naively(model, 'a', { visibility: 'active' });

          const seen: number[] = [];
          const changes = [...meanwhile];
          for (let from = Number.MAX_SAFE_INTEGER; ; ) {
            const page = await store.list(
              'a',
              { visibility: 'active' },
              { before: from, limit: 2 },
            );
            seen.push(...page.items.map(({ sequence }) => sequence));
            if (!page.more) break;
            from = seen.at(-1) ?? 0;
            for (const step of changes.splice(0, 3)) await step(store, model);
          }

          const after = new Set(naively(model, 'a', { visibility: 'active' }));
          expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
          // A job that was hidden and restored in between may have been missed.
          const untouched = before.filter(
            (sequence) => model.jobs.get(sequence)?.updatedSecs !== 5,
          );
          expect(seen).toEqual(
            expect.arrayContaining(untouched.filter((sequence) => after.has(sequence))),
          );
          await close();
        }),
        { numRuns: runs },
      );
    });
  });
}

/** Returns the expected list by filtering all jobs. */
function naively(
  { jobs, providers, facts }: JobModel,
  scope: string,
  filter: JobFilter,
): readonly number[] {
  return [...jobs.values()]
    .filter((job) => job.scope === scope)
    .filter(({ status }) => filter.status === undefined || status === filter.status)
    .filter(
      ({ sequence }) =>
        filter.provider === undefined || providers.get(sequence) === filter.provider,
    )
    .filter(({ favorite }) => filter.favorite === undefined || favorite === filter.favorite)
    .filter(({ labels }) => filter.label === undefined || labels.includes(filter.label))
    .filter(({ group }) => filter.group === undefined || group?.id === filter.group)
    .filter(({ sequence }) => matchesFacts(filter, facts.get(sequence)))
    .filter(({ deletedSecs }) => {
      if (filter.visibility === 'all') return true;
      return (deletedSecs !== undefined) === (filter.visibility === 'hidden');
    })
    .map(({ sequence }) => sequence)
    .sort((a, b) => b - a);
}

async function oldestFirst(
  store: JobStore,
  scope: string,
  filter: JobFilter,
  limit: number,
): Promise<readonly number[]> {
  const shown: number[] = [];
  for (let isMore = true; isMore; ) {
    const page = await store.list(scope, filter, { after: shown.at(-1) ?? 0, limit });
    shown.push(...page.items.map(({ sequence }) => sequence));
    isMore = page.more;
  }
  return shown;
}

async function allPages(
  store: JobStore,
  scope: string,
  filter: JobFilter,
  limit: number,
): Promise<readonly number[]> {
  const { items, more } = await store.list(scope, filter, { limit });
  const shown = items.map(({ sequence }) => sequence);
  for (let next = more; next; ) {
    const before = shown.at(-1) ?? 0;
    const page = await store.list(scope, filter, { before, limit });
    shown.push(...page.items.map(({ sequence }) => sequence));
    next = page.more;
  }
  return shown;
}
