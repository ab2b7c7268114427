import type { Job } from '../api/schemas.ts';
import { useNow } from '../shell/use-now.ts';
import { formatClock } from '../text/text.ts';

/** For how long an open job has been waiting, or running. */
export function Elapsed({ job, running }: { readonly job: Job; readonly running: boolean }) {
  const now = useNow(1000, running);
  return <span class="num">{formatClock(now - (job.started ?? job.created) * 1000)}</span>;
}
