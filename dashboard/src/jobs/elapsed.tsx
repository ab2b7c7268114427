import type { JobSummary } from '../api/schemas.ts';
import { useNow } from '../shell/use-now.ts';
import { formatClock } from '../text/text.ts';

interface Props {
  readonly job: Pick<JobSummary, 'created' | 'started'>;
  readonly running: boolean;
}

/** For how long an open job has been waiting, or running. */
export function Elapsed({ job, running }: Props) {
  const now = useNow(1000, running);
  return <span class="num">{formatClock(now - (job.started ?? job.created) * 1000)}</span>;
}
