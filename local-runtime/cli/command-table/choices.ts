import type { OutputFormat } from '../../../lib/contract/request/parameters.ts';
import type { JobStatus } from '../../../lib/contract/resources/job.ts';
import type { Slot } from '../../gateway/coordination.ts';

// Copies of lists whose modules would take longer to load than the rest of `--help`. A test compares them.

export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const satisfies readonly OutputFormat[];

export const JOB_ENDS = [
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const satisfies readonly JobStatus[];

export const JOB_STATUSES = ['queued', 'running', ...JOB_ENDS] as const;

export const SLOTS = ['blue', 'green'] as const satisfies readonly Slot[];
