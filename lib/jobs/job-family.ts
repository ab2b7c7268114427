import { type JobFamily, MAX_FAMILY, MAX_FAMILY_COUNT } from '../contract/resources/family.ts';
import type { ImageJobSummary } from '../contract/resources/job.ts';
import type { Page, PageRequest } from '../contract/schema/page.ts';
import { createSealedCursors } from '../cursors/sealed-cursor.ts';
import { foundJob } from './job-end.ts';
import type { JobProgressStore } from './job-notices-port.ts';
import type { JobMask, JobParent, JobStore } from './job-store-port.ts';
import { summarizer, toDerivedFrom } from './jobs.ts';

interface Deps {
  readonly store: Pick<JobStore, 'find' | 'listDerived' | 'listKin' | 'listMasks' | 'summaries'>;
  readonly progress: Pick<JobProgressStore, 'find'>;
  /** The secret of the database. */
  readonly secret: Uint8Array;
}

/** A job of a family. */
interface Relative {
  readonly sequence: number;
  readonly distance: number;
  readonly parents: readonly JobParent[];
}

// Each step is one query. A longer chain is cut, so that a request does not take longer for a longer chain.
const MAX_STEPS = 64;

export type JobFamilies = ReturnType<typeof createJobFamilies>;

/** Finds the jobs that are related to a job by the images that they use. */
export function createJobFamilies({ store, progress, secret }: Deps) {
  const cursors = createSealedCursors(secret);

  /**
   * Walks from a job to its parents and children, and from these to theirs. Each job is visited once, so that the walk ends even if
   * a damaged database contains a cycle.
   */
  async function walk(scope: string, id: string) {
    const seen = new Set([id]);
    const nearest: Relative[] = [];
    let count = 0;
    let step = [id];
    let distance = 0;
    for (; step.length > 0 && distance <= MAX_STEPS && count < MAX_FAMILY_COUNT; distance += 1) {
      const kin = await store.listKin(scope, step, MAX_FAMILY_COUNT + 1);
      const order = new Map(step.map((one, place) => [one, place]));
      const jobs = kin.jobs.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0));
      count += jobs.length;
      for (const { sequence, parents } of jobs.slice(0, MAX_FAMILY - nearest.length)) {
        nearest.push({ sequence, parents, distance });
      }
      const ids = jobs.flatMap(({ parents }) => parents.flatMap(({ jobId }) => jobId ?? []));
      step = [...new Set([...ids, ...kin.children])].filter((one) => !seen.has(one));
      for (const one of step) seen.add(one);
    }
    const isCut = step.length > 0 || count > MAX_FAMILY_COUNT;
    return { nearest, total: { count: Math.min(count, MAX_FAMILY_COUNT), at_least: isCut } };
  }

  return {
    /** Resolves with the nearest jobs of the family. Throws `not_found`. */
    async family(scope: string, id: string): Promise<JobFamily> {
      foundJob(await store.find(scope, id));
      const { nearest, total } = await walk(scope, id);
      const known = new Map(nearest.map((relative) => [relative.sequence, relative]));
      const jobs = await store.summaries(scope, [...known.keys()]);
      const toSummary = await summarizer(progress, jobs);
      const masks = await store.listMasks(scope, [...known.keys()]);
      const maskOf = new Map(masks.map((mask) => [mask.sequence, mask]));
      return {
        items: jobs.map((job) => ({
          ...toSummary(job),
          distance: known.get(job.sequence)?.distance ?? 0,
          ...toDerivedFrom(known.get(job.sequence)?.parents ?? []),
          ...toMask(maskOf.get(job.sequence)),
        })),
        total,
      };
    },

    /** Resolves with one page of the jobs that used an image of this job, newest first. Throws `not_found`, `invalid_request`. */
    async derived(
      scope: string,
      id: string,
      { limit, cursor }: PageRequest,
    ): Promise<Page<ImageJobSummary>> {
      foundJob(await store.find(scope, id));
      const list = ['derived jobs', scope, id];
      const before = cursor === undefined ? {} : { before: cursors.readSequence(list, cursor) };
      const { items, more } = await store.listDerived(scope, id, { ...before, limit });
      const last = items.at(-1);
      return {
        items: items.map(await summarizer(progress, items)),
        ...(more && last && { next_cursor: cursors.writeSequence(list, last.sequence) }),
      };
    },
  };
}

function toMask(found: JobMask | undefined): Pick<JobFamily['items'][number], 'mask'> {
  if (found === undefined) return {};
  const { sha256, width, height } = found.mask;
  const size = width === undefined || height === undefined ? {} : { width, height };
  return { mask: { input: found.input, sha256, ...size } };
}
