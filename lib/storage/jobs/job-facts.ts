import { RATIO_TOLERANCE } from '../../contract/resources/job-filter.ts';
import type { JobFilter } from '../../jobs/job-store-port.ts';

/** The filters by the model, the operation, the size and the date of a job. */
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
