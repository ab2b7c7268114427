import { type Signal, signal } from '@preact/signals';
import type { JobSummary } from '../api/schemas.ts';
import { isOpen } from './job-state.ts';

/**
 * Keeps the summaries of the jobs that the page knows. Nothing is kept of a forgotten job, whose summary is read again when a view
 * needs the job.
 */
export function createKnownJobs() {
  const known = new Map<string, JobSummary>();
  /** The signals of the jobs that a view watches, also of jobs that the page does not know. */
  const watched = new Map<string, Signal<JobSummary | undefined>>();
  /** The number of reads during which no job is forgotten. */
  let holds = 0;

  /** Creates the signal of a job. The signal is kept while a view watches the job. */
  function createSignal(id: string): Signal<JobSummary | undefined> {
    const summary: Signal<JobSummary | undefined> = signal(known.get(id), {
      watched: () => void watched.set(id, summary),
      unwatched: () => void watched.delete(id),
    });
    return summary;
  }

  function set(id: string, job: JobSummary | undefined): void {
    if (job === undefined) known.delete(id);
    else known.set(id, job);
    const summary = watched.get(id);
    if (summary !== undefined) summary.value = job;
  }

  return {
    /** Returns the summary of a job. Undefined if the page does not know the job, or has forgotten the job. */
    get: (id: string): JobSummary | undefined => known.get(id),

    /**
     * Returns the summary of a job as `get` does. Must be called by a view or an effect, which runs again after each change. A computed
     * signal would keep a signal that is no longer updated.
     */
    watch: (id: string): JobSummary | undefined => (watched.get(id) ?? createSignal(id)).value,

    set: (job: JobSummary) => set(job.id, job),

    delete: (id: string) => set(id, undefined),

    /** Forgets the jobs that have ended and that no view shows, except those for which `isNeeded` returns true. */
    forget(isNeeded: (id: string) => boolean): void {
      if (holds > 0) return;
      for (const [id, job] of known) {
        if (!(isOpen(job) || watched.has(id) || isNeeded(id))) known.delete(id);
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
