import { Ban, CircleAlert, Clock, type IconNode, Loader, Repeat2, Trophy, X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { BridgeError, JobSummary } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { thumbnailPath } from '../../images/image-cache.ts';
import { useSteadyImage } from '../../images/use-image.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { Elapsed, STATUS_LOOKS, StageBar, stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { attempt } from '../../shell/toasts.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import { sendPlace } from '../panel/send-race.ts';
import type { createPace } from './pace.ts';
import { type Cell, imageOf, isWinner, type Origin } from './race-board.ts';

interface Props {
  readonly cell: Cell;
  /** The id of the race. */
  readonly raceId: string;
  /** The name of the model, or its number while names are hidden. */
  readonly name: string;
  /** The key that chooses the image. */
  readonly number: number;
  readonly pace: ReturnType<typeof createPace>;
  readonly mayChange: boolean;
  /** The facts from which the request of a place without a job can be sent. */
  readonly origin: Origin | undefined;
  readonly onChoose: () => void;
}

/** The width of a tile in CSS pixels, for which thumbnails are requested. */
const TILE_PX = 320;

/**
 * Shows one place of a race: an image with the button that chooses the image, a job that has not ended, or the reason why there is no
 * image.
 */
export function RaceCell(props: Props) {
  const { cell, name, number, mayChange, onChoose } = props;
  const { job } = cell;
  const image = job && imageOf(job);
  if (job === undefined || image === undefined) {
    return (
      <>
        {job === undefined ? <UnsentTile {...props} /> : <JobTile {...props} job={job} />}
        <p class="lane-name only-narrow cut">{name}</p>
      </>
    );
  }
  const isChosen = isWinner(cell);
  const choice = text(isChosen ? 'race.winner' : 'race.choose');
  return (
    <>
      <ImageTile job={job} image={image} name={name} isChosen={isChosen} />
      <button
        type="button"
        class="crown"
        aria-pressed={isChosen}
        aria-label={text('race.choose.long', { choice, name, number: cell.row + 1 })}
        disabled={!mayChange}
        onClick={onChoose}
      >
        {/* The key is not text, because the accessible name has to contain the text of the button. */}
        <kbd class="only-wide" data-key={number} />
        <span class="lane-name only-narrow cut">{name}</span>
        <Icon of={Trophy} small filled={isChosen} />
        <span class="only-wide">{choice}</span>
      </button>
    </>
  );
}

interface ImageProps {
  readonly job: JobSummary;
  readonly image: NonNullable<ReturnType<typeof imageOf>>;
  readonly name: string;
  readonly isChosen: boolean;
}

function ImageTile({ job, image, name, isChosen }: ImageProps) {
  const { id, width, height } = image;
  const tall = (TILE_PX * height) / width;
  const thumbnail = useSteadyImage(thumbnailPath(id, TILE_PX, tall, devicePixelRatio));
  const { started, completed, artifacts } = job;
  const secs = started === undefined || completed === undefined ? undefined : completed - started;
  const facts = [
    secs !== undefined && text('race.seconds', { seconds: String(secs) }),
    artifacts.length > 1 && text('card.images', { count: artifacts.length }),
  ].filter((part) => typeof part === 'string');
  return (
    <div class="lane-tile" data-winner={isChosen} style={{ '--r': String(width / height) }}>
      <Link to={`/jobs/${job.id}`} aria-label={text('race.open', { name, prompt: job.prompt })}>
        {thumbnail.state === 'ready' && (
          <img class="cover" src={thumbnail.url} alt="" draggable={false} />
        )}
      </Link>
      {isChosen && (
        <span class="chip wins row" aria-hidden="true">
          <Icon of={Trophy} small />
          {text('race.winner')}
        </span>
      )}
      {facts.length > 0 && <span class="chip facts num">{facts.join(text('list.separator'))}</span>}
    </div>
  );
}

function JobTile({ job, name, pace, mayChange }: Props & { readonly job: JobSummary }) {
  const page = usePage();
  const { jobs, submissions, toasts, queue, connection } = page;
  const partial = usePacedPartial(job, pace);
  const label = { 'aria-label': name, role: 'group' } as const;
  if (isOpen(job)) {
    const isPaused = job.status === 'queued' && queue.latest.value?.paused === true;
    const title = stageText(job, job.outputs, isPaused);
    const isOver = partial.state === 'ready';
    const cancel = mayChange && (
      <IconButton
        icon={X}
        small
        over={isOver}
        class="stop"
        label={text(job.cancel_requested ? 'card.cancelling' : 'race.cancel', { name })}
        disabled={job.cancel_requested}
        onClick={() => void attempt(toasts, () => jobs.cancel(job.id))}
      />
    );
    const elapsed = <Elapsed job={job} running={connection.state.value !== 'offline'} />;
    if (isOver) {
      return (
        <div class="lane-tile" tabIndex={-1} {...label} style={ratioOf(job)}>
          <img class="cover" src={partial.url} alt="" draggable={false} />
          <div class="lane-over stack">
            <span class="row">
              <b class="cut grow">{title}</b>
              {elapsed}
            </span>
            <StageBar job={job} />
          </div>
          {cancel}
        </div>
      );
    }
    return (
      <Note
        {...{ name, title }}
        job={job}
        icon={job.status === 'queued' ? Clock : Loader}
        isWaiting={job.status === 'queued'}
      >
        <span class="soft grow">{elapsed}</span>
        {cancel}
      </Note>
    );
  }
  const failure = toFailureText(failureOf(job), (job.completed ?? job.updated) * 1000);
  const { icon, tone } = STATUS_LOOKS[job.status];
  return (
    <Note {...{ name, icon, tone, job }} title={failure.title} say={failure.text}>
      {mayChange && job.status !== 'succeeded' && (
        <Button
          size="small"
          icon={Repeat2}
          aria-label={text('race.again.long', { name })}
          onClick={() => void attempt(toasts, () => submissions.retry(job.id))}
        >
          {text('race.again')}
        </Button>
      )}
    </Note>
  );
}

function UnsentTile({ cell, name, raceId, mayChange, origin }: Props) {
  const page = usePage();
  const { unsent, row, column } = cell;
  const resend = page.race.resend.get(raceId);
  const isKnown = (unsent !== undefined && resend !== undefined) || origin !== undefined;
  const again = mayChange && isKnown && (
    <Button
      size="small"
      icon={Repeat2}
      aria-label={text('race.again.long', { name })}
      onClick={() => {
        if (unsent && resend) resend([unsent]);
        else if (origin) {
          void attempt(page.toasts, () => sendPlace(page, raceId, { row, column, ...origin }));
        }
      }}
    >
      {text('race.again')}
    </Button>
  );
  if (unsent === undefined) {
    return (
      <Note name={name} icon={Ban} title={text('race.noJob')}>
        {again}
      </Note>
    );
  }
  const { state } = unsent;
  if (state === 'stopped') {
    return (
      <Note name={name} icon={Ban} title={text('race.notSent')}>
        {again}
      </Note>
    );
  }
  if (typeof state === 'object') {
    const { title, text: say } = toFailureText(state, Date.now());
    return (
      <Note name={name} icon={CircleAlert} tone="bad" title={title} say={say}>
        {again}
      </Note>
    );
  }
  return <Note name={name} icon={Clock} isWaiting title={text(`race.${state}`)} />;
}

interface NoteProps {
  readonly name: string;
  readonly icon: IconNode;
  readonly tone?: string;
  readonly title: string;
  readonly say?: string;
  readonly job?: JobSummary;
  readonly isWaiting?: boolean;
  readonly children?: ComponentChildren;
}

function Note(props: NoteProps) {
  const { name, icon, tone = 'faint', title, say, job, isWaiting = false, children } = props;
  return (
    <div
      class="lane-tile lane-note stack"
      role="group"
      aria-label={name}
      tabIndex={-1}
      data-waiting={isWaiting}
      style={ratioOf(job)}
    >
      <span class={`kind row ${tone}`}>
        <Icon of={icon} />
        {title}
      </span>
      {say && <p class="say">{say}</p>}
      <span class="act row">{children}</span>
      {job?.status === 'running' && <StageBar job={job} />}
    </div>
  );
}

/** Returns the shape of an image that does not exist yet. */
function ratioOf(job: JobSummary | undefined): { readonly '--r': string } {
  const [width = 1, height = 1] = (job?.size ?? '').split('x').map(Number);
  return { '--r': String(width > 0 && height > 0 ? width / height : 1) };
}

/** Returns the failure of a job, of which a list has only the code. */
function failureOf({
  status,
  error_code: code,
}: JobSummary): Pick<BridgeError, 'code' | 'details' | 'retryable' | 'message'> {
  // The codes of summaries are the codes of errors.
  const known = (code ??
    (status === 'succeeded' ? 'artifact' : 'cancelled')) as BridgeError['code'];
  const details = status === 'interrupted' ? { reason: 'interrupted' } : {};
  return { code: known, details, retryable: false, message: '' };
}

/** Returns the latest unfinished image whose turn has come. */
function usePacedPartial({ id, progress }: JobSummary, pace: Props['pace']) {
  const made = progress?.partial_images ?? 0;
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (made === 0) return;
    return pace.request(id, () => setShown(made));
  }, [pace, id, made]);
  return useSteadyImage(shown > 0 ? `/v1/jobs/${id}/partial#${shown}` : undefined);
}
