import type { JobSummary } from '../api/schemas.ts';

/** A change of a job that the page knows. */
export type JobChange =
  | { readonly kind: 'changed'; readonly job: JobSummary }
  | { readonly kind: 'removed'; readonly id: string };
