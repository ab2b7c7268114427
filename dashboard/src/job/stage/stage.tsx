import { ArrowRight, ImageOff, KeyRound, Pencil, Repeat2 } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { Job } from '../../api/schemas.ts';
import { Button, Icon } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { Blank } from '../../gallery/states/blank.tsx';
import type { Size } from '../../images/measure-image.ts';
import { usePartialImage } from '../../images/use-image.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { Elapsed, STATUS_LOOKS, StageBar, stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { useWait } from '../../shell/use-now.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/job-text.ts';
import { formatClock } from '../../text/text.ts';
import { useJobActions } from '../job-actions.ts';
import { useLook } from '../state/look-context.ts';
import { fitInto, longestShown, openSize } from './geometry.ts';
import { useBox } from './image-layer.tsx';
import { Grid, Viewer } from './viewer.tsx';
import './stage.css';

export function Stage({ job }: { readonly job: Job | undefined }) {
  const { images, looking } = useLook();
  if (job !== undefined && isOpen(job)) return <OpenStage job={job} />;
  const hasOutput = images.some(({ kind }) => kind === 'output');
  if (job !== undefined && !hasOutput) return <EndedStage job={job} />;
  if (looking.b === undefined) return <div class="viewer" />;
  return looking.view === 'grid' ? <Grid /> : <Viewer />;
}

/** Shows an open job: a frame in the expected shape, the latest unfinished image, and the progress. */
function OpenStage({ job }: { readonly job: Job }) {
  const { connection, queue } = usePage();
  const element = useRef<HTMLDivElement>(null);
  const box = useBox(element);
  const image = usePartialImage(job);
  const [unfinished, setUnfinished] = useState<Size>();
  const size = openSize(job, unfinished);
  const { width = 0, height = 0 } = box ? fitInto(size, box, longestShown([size])) : {};
  const isAway = connection.state.value === 'offline';
  const stage = stageText(job, job.request.parameters.n, queue.latest.value?.paused);
  return (
    <div class="open-stage middle" ref={element}>
      <div
        class={`coming ${job.status}`}
        style={{ inlineSize: `${width}px`, blockSize: `${height}px` }}
      >
        {image.state === 'ready' && (
          <img
            class="cover"
            src={image.url}
            alt={text('job.partial')}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setUnfinished({ width, height })
            }
          />
        )}
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

/** Shows a job that ended without an image: the failure, its consequences, and the available actions. */
function EndedStage({ job }: { readonly job: Job }) {
  const { error, status } = job;
  const failure = error && toFailureText(error, (job.completed ?? job.updated) * 1000);
  const look = status === 'succeeded' ? { icon: ImageOff, tone: 'faint' } : STATUS_LOOKS[status];
  const detail = failure?.text ?? text('job.noImages.text');
  return (
    <Blank
      {...look}
      title={failure?.title ?? text('job.noImages')}
      detail={job.retried_as === undefined ? detail : `${detail} ${text('job.retriedAs')}`}
    >
      <Ways job={job} mayRepeat={failure?.mayRepeat ?? true} after={failure?.after} />
    </Blank>
  );
}

interface WaysProps {
  readonly job: Job;
  readonly mayRepeat: boolean;
  /** The time in Unix milliseconds before which the same request would fail again. */
  readonly after: number | undefined;
}

function Ways({ job, mayRepeat, after }: WaysProps) {
  const { router } = usePage();
  const { makeAgain, change } = useJobActions();
  const wait = useWait(after);
  return (
    <>
      {wait > 0 && <p class="soft num">{text('card.safeIn', { wait: formatClock(wait + 999) })}</p>}
      <p class="ways row">
        {job.retried_as !== undefined && (
          <Link class="btn primary" to={`/jobs/${job.retried_as}`}>
            <Icon of={ArrowRight} />
            {text('job.retriedAs.show')}
          </Link>
        )}
        {mayRepeat && (
          <Button icon={Repeat2} disabled={wait > 0} onClick={() => makeAgain(job)}>
            {text('card.makeAgain')}
          </Button>
        )}
        {job.error?.code === 'authentication' ? (
          <Button icon={KeyRound} onClick={() => router.navigate('/system#providers')}>
            {text('card.showHow')}
          </Button>
        ) : (
          <Button icon={Pencil} onClick={() => void change(job)}>
            {text(job.error?.code === 'safety_rejected' ? 'card.changePrompt' : 'card.change')}
          </Button>
        )}
      </p>
    </>
  );
}
