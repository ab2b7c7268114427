import {
  Clock,
  type IconNode,
  ImageOff,
  KeyRound,
  Loader,
  Pause,
  Pencil,
  Repeat2,
  X,
} from 'lucide';
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../api/api.ts';
import type { BridgeError, JobSummary } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { usePartialImage } from '../../images/use-image.ts';
import { Elapsed, STATUS_LOOKS, StageBar, stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { useWait } from '../../shell/use-now.ts';
import { type FailureText, toFailureText } from '../../text/failure-text.ts';
import { formatClock, text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';

interface CardProps {
  readonly job: JobSummary;
  readonly tabIndex: number;
}

/** Shows an open job as text until an unfinished image exists, and then as the unfinished image. */
export function OpenCard({ job, tabIndex }: CardProps) {
  const image = usePartialImage(job);
  const { connection, queue } = usePage();
  const { state } = useGallery();
  const isAway = connection.state.value === 'offline';
  const isPaused = job.status === 'queued' && queue.latest.value?.paused === true;
  const stage = stageText(job, job.outputs, isPaused);
  const title = isAway ? text('card.lastSeen', { stage }) : stage;
  const stop = <StopButton job={job} tabIndex={tabIndex} over={image.state === 'ready'} />;

  if (image.state !== 'ready') {
    return (
      <div class={`open-card fill ${job.status}`}>
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
    <div class="open-card fill with-image">
      <img
        class="cover"
        src={image.url}
        alt=""
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          state.shapes.measure(job, naturalWidth / naturalHeight)
        }
      />
      <div class="card-scrim fill stack">
        <div class="line row">
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

function StopButton({ job, tabIndex, over }: CardProps & { readonly over: boolean }) {
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

/** Shows a job that ended without an image: the failure, whether anything was made or paid for, and the next action. */
export function EndedCard({ job, tabIndex }: CardProps) {
  const { state } = useGallery();
  const look =
    job.status === 'succeeded' ? { icon: ImageOff, tone: 'faint' } : STATUS_LOOKS[job.status];
  const error = state.errors.get(job.id).value;
  const failure = toFailureText(error ?? assumed(job), (job.completed ?? job.updated) * 1000);
  const wait = useWait(failure.after);
  const isPlain = job.status === 'cancelled' && error?.details['outcome'] !== 'unknown';
  const say = wait > 0 ? text('card.safeIn', { wait: formatClock(wait + 999) }) : failure.text;
  return (
    <CardNote
      {...look}
      title={failure.title}
      say={isPlain ? job.prompt : say}
      asked={isPlain ? undefined : job.prompt}
    >
      <Ways job={job} failure={failure} waits={wait > 0} tabIndex={tabIndex} />
    </CardNote>
  );
}

interface WaysProps extends CardProps {
  readonly failure: FailureText;
  readonly waits: boolean;
}

function Ways({ job, failure, waits, tabIndex }: WaysProps) {
  const { router } = usePage();
  const { actions, state } = useGallery();
  const error = state.errors.get(job.id).value;
  const isUnknown = error?.details['outcome'] === 'unknown' || job.status === 'interrupted';
  const details = (
    <Button
      size="small"
      look={isUnknown ? 'plain' : 'quiet'}
      tabIndex={tabIndex}
      onClick={() => router.navigate(`/jobs/${job.id}`)}
    >
      {text('action.details')}
    </Button>
  );
  if (isUnknown) return details;
  return (
    <>
      {failure.mayRepeat ? (
        <Button
          size="small"
          icon={Repeat2}
          disabled={waits}
          tabIndex={tabIndex}
          onClick={() => void actions.makeAgain([job.id])}
        >
          {text('card.makeAgain')}
        </Button>
      ) : job.error_code === 'authentication' ? (
        <Button
          size="small"
          icon={KeyRound}
          tabIndex={tabIndex}
          onClick={() => router.navigate('/system#providers')}
        >
          {text('card.showHow')}
        </Button>
      ) : (
        <Button
          size="small"
          icon={Pencil}
          tabIndex={tabIndex}
          onClick={() => void actions.change(job.id)}
        >
          {text(job.error_code === 'safety_rejected' ? 'card.changePrompt' : 'card.change')}
        </Button>
      )}
      {job.status !== 'cancelled' && details}
    </>
  );
}

/** Returns the part of a job's error that the job's summary contains, for use until the whole error has been loaded. */
function assumed({
  status,
  error_code,
}: JobSummary): Pick<BridgeError, 'code' | 'details' | 'retryable' | 'message'> {
  const reason = status === 'interrupted' ? { reason: 'interrupted', outcome: 'unknown' } : {};
  const code = (error_code ?? 'cancelled') as BridgeError['code'];
  return { code, details: reason, retryable: false, message: '' };
}

interface LostImageProps {
  readonly error: ApiError;
  /** The prompt, for a card with a single image. Undefined in a mosaic, where there is room only for the title. */
  readonly prompt: string | undefined;
}

/** Explains that an image was removed or that loading the image failed. */
export function LostImage({ error, prompt }: LostImageProps) {
  const isRemoved = error.status === 404;
  const title = text(isRemoved ? 'card.removed' : 'card.notLoaded');
  const say = isRemoved ? text('card.removed.text') : prompt;
  return (
    <CardNote
      icon={ImageOff}
      tone="faint"
      title={title}
      {...(prompt !== undefined && { say, ...(isRemoved && { asked: prompt }) })}
    />
  );
}

interface CardNoteProps {
  readonly icon: IconNode;
  readonly tone?: string;
  readonly title: string;
  readonly say?: ComponentChildren;
  /** The prompt, if `say` contains another text. */
  readonly asked?: string | undefined;
  /** The available actions, or the elapsed time. */
  readonly children?: ComponentChildren;
}

/** The number of characters above which a title may need two lines in a narrow card. */
const LONG_TITLE = 20;

/** Renders a card as text, for a job without an image to show. */
export function CardNote({ icon, tone, title, say, asked, children }: CardNoteProps) {
  const length = title.length > LONG_TITLE && 'long';
  return (
    <div class="card-note fill stack">
      <span class={['kind row', tone, length].filter(Boolean).join(' ')}>
        <Icon of={icon} />
        <span class="clamp">{title}</span>
      </span>
      {say && (
        <p class="say clamp" dir="auto">
          {say}
        </p>
      )}
      {asked !== undefined && (
        <span class="asked cut" dir="auto">
          {asked}
        </span>
      )}
      {children && <span class="act row">{children}</span>}
    </div>
  );
}
