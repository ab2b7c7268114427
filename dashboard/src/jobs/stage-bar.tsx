import type { JobSummary } from '../api/schemas.ts';
import { STAGES, stageOf } from './job-state.ts';
import './stage-bar.css';

const NAMES: readonly string[] = STAGES;

interface Props {
  readonly job: Pick<JobSummary, 'status' | 'progress'>;
}

/** The stages of a running job as segments, up to the one that it is in. The words beside it say the same. */
export function StageBar({ job }: Props) {
  const at = NAMES.indexOf(stageOf(job));
  return (
    <span class="stage-bar" aria-hidden="true">
      {NAMES.map((stage, index) => (
        <i key={stage} class={index < at ? 'done' : index === at ? 'now' : ''} />
      ))}
    </span>
  );
}
