import type { JobSummary } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';

/** The ratio of a card without an image, and of one whose size is not known yet. */
const UNKNOWN = 3 / 2;
const NARROWEST = 1 / 2;
const WIDEST = 3;

/** Width by height of a job's card: of its image, or of the mosaic of its images; while it is open, of what is to come. */
export function tileRatio(job: JobSummary): number {
  const [first] = job.artifacts;
  if (first) return clamp(mosaicRatio(first.width / first.height, job.artifacts.length));
  return isOpen(job) ? clamp(mosaicRatio(plannedRatio(job.size), job.outputs)) : UNKNOWN;
}

/** Two beside each other; of three one large, two small beside it; four and more in two rows. */
function mosaicRatio(ratio: number, count: number): number {
  if (count === 2) return ratio * 2;
  return count === 3 ? ratio * 1.5 : ratio;
}

function plannedRatio(size: string): number {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return width > 0 && height > 0 ? width / height : UNKNOWN;
}

function clamp(ratio: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, ratio));
}
