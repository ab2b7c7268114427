import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { JobSummary } from '../api/schemas.ts';
import { isOpen } from './job-state.ts';

/**
 * Keeps the summaries of the jobs that the page knows. A forgotten summary is undefined until it is read again. The signal of a job
 * stays the same, so that views are rendered again when the summary returns.
 */
export function createKnownJobs() {
  const known = new Map<string, Signal<JobSummary | undefined>>();
  /** The signals that a view watches. */
  const watched = new Set<unknown>();
  const options = {
    watched(this: unknown): void {
      watched.add(this);
    },
    unwatched(this: unknown): void {
      watched.delete(this);
    },
  };
  /** The number of reads during which no job is forgotten. */
  let holds = 0;

  return {
    /** Returns the summary of a job. Undefined if the page has never known the job. */
    get: (id: string): ReadonlySignal<JobSummary | undefined> | undefined => known.get(id),

    set(job: JobSummary): void {
      const summary = known.get(job.id);
      if (summary === undefined) known.set(job.id, signal<JobSummary | undefined>(job, options));
      else summary.value = job;
    },

    delete: (id: string) => known.delete(id),

    /** Returns true if the summary of a known job must be read again. */
    isForgotten(id: string): boolean {
      const summary = known.get(id);
      return summary !== undefined && summary.peek() === undefined;
    },

    /** Forgets the jobs that have ended and that no view shows, except those for which `isNeeded` returns true. */
    forget(isNeeded: (id: string) => boolean): void {
      if (holds > 0) return;
      for (const [id, summary] of known) {
        const job = summary.peek();
        if (job === undefined || isOpen(job) || watched.has(summary) || isNeeded(id)) continue;
        summary.value = undefined;
      }
    },

    /**
     * Forgets no job while `read` is running, because an older reply would otherwise replace a newer summary that was forgotten
     * meanwhile.
     */
    async hold<T>(read: () => Promise<T>): Promise<T> {
      holds += 1;
      try {
        return await read();
      } finally {
        holds -= 1;
      }
    },
  };
}
