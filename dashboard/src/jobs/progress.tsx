import type { JobSummary } from '../api/schemas.ts';
import { useNow } from '../shell/use-now.ts';
import { formatClock } from '../text/text.ts';
import { STAGES, stageOf } from './job-state.ts';
import './progress.css';

const NAMES: readonly string[] = STAGES;

interface StageBarProps {
  readonly job: Pick<JobSummary, 'status' | 'progress'>;
}

/** The stages of a running job as segments, up to the one that it is in. The words beside it say the same. */
export function StageBar({ job }: StageBarProps) {
  const at = NAMES.indexOf(stageOf(job));
  return (
    <span class="stage-bar" aria-hidden="true">
      {NAMES.map((stage, index) => (
        <i key={stage} class={index < at ? 'done' : index === at ? 'now' : ''} />
      ))}
    </span>
  );
}

interface ElapsedProps {
  readonly job: Pick<JobSummary, 'created' | 'started'>;
  readonly running: boolean;
}

/** For how long an open job has been waiting, or running. */
export function Elapsed({ job, running }: ElapsedProps) {
  const now = useNow(1000, running);
  return <span class="num">{formatClock(now - (job.started ?? job.created) * 1000)}</span>;
}
