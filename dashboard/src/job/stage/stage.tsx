import type { Job } from '../../api/schemas.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { useLook } from '../state/look-context.ts';
import { EndedStage } from './ended-stage.tsx';
import { Grid } from './grid.tsx';
import { OpenStage } from './open-stage.tsx';
import { Viewer } from './viewer.tsx';

/** The large view. */
export function Stage({ job }: { readonly job: Job | undefined }) {
  const { images, looking } = useLook();
  if (job !== undefined && isOpen(job)) return <OpenStage job={job} />;
  const hasOutput = images.some(({ kind }) => kind === 'output');
  if (job !== undefined && !hasOutput) return <EndedStage job={job} />;
  if (looking.b === undefined) return <div class="viewer" />;
  return looking.view === 'grid' ? <Grid /> : <Viewer />;
}
