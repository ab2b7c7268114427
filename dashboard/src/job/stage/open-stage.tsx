import { useRef } from 'preact/hooks';
import type { Job } from '../../api/schemas.ts';
import { useSteadyImage } from '../../images/use-image.ts';
import { Elapsed } from '../../jobs/elapsed.tsx';
import { stageOf } from '../../jobs/job-state.ts';
import { StageBar } from '../../jobs/stage-bar.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { openSize } from '../state/open-size.ts';
import { fitInto, longestShown } from './geometry.ts';
import { useBox } from './use-box.ts';
import './open-stage.css';

/** A job that has not ended: the shape of what will come, what there is of it already, and how far it is. */
export function OpenStage({ job }: { readonly job: Job }) {
  const { connection } = usePage();
  const element = useRef<HTMLDivElement>(null);
  const box = useBox(element);
  const partials = job.progress?.partial_images ?? 0;
  // The fragment is not sent: it makes each of them an image of its own.
  const image = useSteadyImage(partials > 0 ? `/v1/jobs/${job.id}/partial#${partials}` : undefined);
  const size = openSize(job);
  const { width = 0, height = 0 } = box ? fitInto(size, box, longestShown([size])) : {};
  const isAway = connection.state.value === 'offline';
  const stage = text(`card.stage.${stageOf(job)}`);
  return (
    <div class="open-stage" ref={element}>
      <div
        class={`coming ${job.status}`}
        style={{ inlineSize: `${width}px`, blockSize: `${height}px` }}
      >
        {image.state === 'ready' && <img src={image.url} alt={text('job.partial')} />}
        <div class="scrim">
          <p>
            <b>{isAway ? text('card.lastSeen', { stage }) : stage}</b>
            <Elapsed job={job} running={!isAway} />
          </p>
          <StageBar job={job} />
        </div>
      </div>
    </div>
  );
}
