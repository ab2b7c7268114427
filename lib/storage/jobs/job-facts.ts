import { parseSize } from '../../contract/request/parameters.ts';
import { type JobSize, RATIO_TOLERANCE } from '../../contract/resources/job-filter.ts';
import type { JobFilter } from '../../jobs/job-store-port.ts';

/** The filters by facts of a job, which no index of their own serves. */
type FactFilter = Pick<
  JobFilter,
  'model' | 'operation' | 'size' | 'createdFromSecs' | 'createdBeforeSecs'
>;

/** Returns true if the filter has a fact. */
export function hasFacts(filter: FactFilter): boolean {
  const { model, operation, size, createdFromSecs, createdBeforeSecs } = filter;
  const facts = [model, operation, size, createdFromSecs, createdBeforeSecs];
  return facts.some((fact) => fact !== undefined);
}

/** Returns true if the filter has a label or a group, which select few jobs. */
export function isSelected({ label, group }: JobFilter): boolean {
  return label !== undefined || group !== undefined;
}

/** Returns the lowest and the highest ratio (width divided by height) that match. */
export function ratiosOf({ width, height }: { width: number; height: number }) {
  const ratio = width / height;
  return { lowest: ratio * (1 - RATIO_TOLERANCE), highest: ratio * (1 + RATIO_TOLERANCE) };
}

/** The columns of a job with which its filters by facts are compared. */
export interface FactRow {
  readonly model: string | null;
  readonly operation: string;
  readonly size: string;
  readonly created: number;
  readonly artifacts: readonly { readonly width: number; readonly height: number }[];
}

/** Returns true if a job matches the filters by facts. */
export function matchesFacts(
  { model, operation, size, createdFromSecs = 0, createdBeforeSecs = Infinity }: FactFilter,
  job: FactRow,
): boolean {
  return (
    (model === undefined || job.model === model) &&
    (operation === undefined || job.operation === operation) &&
    job.created >= createdFromSecs &&
    job.created < createdBeforeSecs &&
    (size === undefined || matchesSize(size, job))
  );
}

function matchesSize(wanted: JobSize, { size, artifacts }: FactRow): boolean {
  if (wanted.kind === 'auto') return size === 'auto';
  const actual = artifacts[0] ?? parseSize(size);
  if (actual === undefined) return false;
  if (wanted.kind === 'pixels') {
    return actual.width === wanted.width && actual.height === wanted.height;
  }
  const { lowest, highest } = ratiosOf(wanted);
  const ratio = actual.width / actual.height;
  return ratio >= lowest && ratio <= highest;
}
