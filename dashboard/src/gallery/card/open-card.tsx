import { Clock, Loader, Pause, X } from 'lucide';
import type { JobSummary } from '../../api/schemas.ts';
import { Icon } from '../../controls/icon.tsx';
import { IconButton } from '../../controls/icon-button.tsx';
import { useSteadyImage } from '../../images/use-image.ts';
import { Elapsed } from '../../jobs/elapsed.tsx';
import { stageOf } from '../../jobs/job-state.ts';
import { StageBar } from '../../jobs/stage-bar.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import { CardNote } from './card-note.tsx';
import './open-card.css';

interface Props {
  readonly job: JobSummary;
  readonly tabIndex: number;
}

/** A job that has not ended: in words, until there is an image of it that is not finished. */
export function OpenCard({ job, tabIndex }: Props) {
  const partials = job.progress?.partial_images ?? 0;
  // The fragment is not sent: it makes each of them an image of its own.
  const path = partials > 0 ? `/v1/jobs/${job.id}/partial#${partials}` : undefined;
  const image = useSteadyImage(path);
  const { connection, queue } = usePage();
  const isAway = connection.state.value === 'offline';
  const isPaused = job.status === 'queued' && queue.latest.value?.paused === true;
  const stage = text(isPaused ? 'card.stage.paused' : `card.stage.${stageOf(job)}`);
  const title = isAway ? text('card.lastSeen', { stage }) : stage;
  const stop = <StopButton job={job} tabIndex={tabIndex} over={image.state === 'ready'} />;

  if (image.state !== 'ready') {
    return (
      <div class={`open-card ${job.status}`}>
        <CardNote
          icon={isAway || isPaused ? Pause : job.status === 'queued' ? Clock : Loader}
          {...(job.status === 'queued' && { tone: 'faint' as const })}
          title={title}
          say={job.prompt}
        >
          <span class="elapsed">
            <Wait job={job} running={!isAway} />
          </span>
          {stop}
        </CardNote>
        {job.status === 'running' && <StageBar job={job} />}
      </div>
    );
  }
  return (
    <div class="open-card with-image">
      <img src={image.url} alt="" draggable={false} />
      <div class="scrim">
        <div class="line">
          {isAway && <Icon of={Pause} small />}
          <b class="cut">{title}</b>
          <Wait job={job} running={!isAway} />
        </div>
        <StageBar job={job} />
      </div>
      {stop}
    </div>
  );
}

function Wait({ job, running }: { readonly job: JobSummary; readonly running: boolean }) {
  const { cancelling } = useGallery().actions;
  return cancelling.value === job.id ? (
    <span class="again">{text('card.cancelAgain')}</span>
  ) : (
    <Elapsed job={job} running={running} />
  );
}

function StopButton({ job, tabIndex, over }: Props & { readonly over: boolean }) {
  const { actions } = useGallery();
  return (
    <IconButton
      icon={X}
      label={text(job.cancel_requested ? 'card.cancelling' : 'action.cancel')}
      small
      over={over}
      class="stop"
      tabIndex={tabIndex}
      disabled={job.cancel_requested}
      onClick={() => actions.cancel(job.id)}
    />
  );
}
