import { Ban, CircleAlert, CircleCheck, Clock, Loader, TriangleAlert } from 'lucide';
import type { JobSummary } from '../api/schemas.ts';
import { useNow } from '../shell/use-now.ts';
import { formatClock, text } from '../text/text.ts';
import { STAGES, stageOf } from './job-state.ts';
import './progress.css';

const NAMES: readonly string[] = STAGES;

/** Shows the stages of a running job as segments, filled up to the current stage. */
export function StageBar({ job }: { readonly job: Pick<JobSummary, 'status' | 'progress'> }) {
  const at = NAMES.indexOf(stageOf(job));
  return (
    <span class="stage-bar" aria-hidden="true">
      {NAMES.map((stage, index) => (
        <i key={stage} class={index < at ? 'done' : index === at ? 'now' : ''} />
      ))}
    </span>
  );
}

/**
 * Returns the stage of an open job, with its finished images if the job makes several. A job that waits in a paused queue says so.
 */
export function stageText(
  job: Pick<JobSummary, 'status' | 'progress'>,
  /** The number of requested images. */
  outputs: number,
  isPaused?: boolean | undefined,
): string {
  if (isPaused && job.status === 'queued') return text('card.stage.paused');
  const stage = text(`card.stage.${stageOf(job)}`);
  if (job.status !== 'running' || outputs < 2) return stage;
  const finished = job.progress?.finished_images ?? 0;
  return text('card.stage.finished', { stage, finished, outputs });
}

/** The icon of each state, and the class of its colour. */
export const STATUS_LOOKS = {
  queued: { icon: Clock, tone: 'faint' },
  running: { icon: Loader, tone: 'accent' },
  succeeded: { icon: CircleCheck, tone: 'good' },
  failed: { icon: CircleAlert, tone: 'bad' },
  cancelled: { icon: Ban, tone: 'faint' },
  interrupted: { icon: TriangleAlert, tone: 'warn' },
} as const;

interface ElapsedProps {
  readonly job: Pick<JobSummary, 'created' | 'started'>;
  readonly running: boolean;
}

/** Shows how long an open job has been waiting or running. */
export function Elapsed({ job, running }: ElapsedProps) {
  const now = useNow(1000, running);
  return <span class="num">{formatClock(now - (job.started ?? job.created) * 1000)}</span>;
}
