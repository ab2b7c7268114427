import {
  Check,
  Columns2,
  Copy,
  Download,
  Ellipsis,
  EyeOff,
  Heart,
  type IconNode,
  Layers2,
  Pencil,
  PenLine,
  Repeat2,
  Undo2,
} from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import type { JobArtifact, JobSummary } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { Menu, MenuItem, useMenu } from '../../controls/menu.tsx';
import { thumbnailPath } from '../../images/image-cache.ts';
import { useSteadyImage } from '../../images/use-image.ts';
import { toJobVerdict } from '../../job/credentials/verdict.ts';
import { LOOKS } from '../../job/credentials/verdict-looks.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { STATUS_LOOKS, stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { ROOT } from '../../router.ts';
import { credentialMarks } from '../../shell/preferences.ts';
import { formatTime, type TextKey, text } from '../../text/text.ts';
import { boxStyle } from '../layout/row-layout.ts';
import { toPath } from '../state/filter-address.ts';
import { useGallery } from '../state/use-gallery.ts';
import { toDate } from '../tools/filter-values.ts';
import { CardNote, EndedCard, LostImage, OpenCard } from './card-states.tsx';
import './card.css';

interface CardProps {
  readonly id: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The number of jobs that share the card. Absent if the card has one job. */
  readonly count?: number;
  /** True if the Tab key moves the focus to this card. */
  readonly isCursor: boolean;
  readonly isPicked: boolean;
}

/** Renders a card. A card whose place and state are unchanged is not rendered again with the others. */
export function Card(props: CardProps) {
  return useMemo(() => <CardBox {...props} />, Object.values(props));
}

function CardBox(props: CardProps) {
  const { id, left, top, width, height, count = 1, isCursor, isPicked } = props;
  const { jobs } = usePage();
  const { state } = useGallery();
  const [hovered, setHovered] = useState(false);
  const job = jobs.watch(id);
  const tabIndex = isCursor ? 0 : -1;
  const isFolded = count > 1;
  const hasImages = !isFolded && job !== undefined && job.artifacts.length > 0;
  const isActive = hovered || isCursor;
  const hasEnded = !isFolded && job !== undefined && !hasImages && !isOpen(job);
  const stays = isPicked || state.selection.active.value;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the link inside can be focused
    <div
      id={`card-${id}`}
      class="card"
      role="gridcell"
      aria-selected={isPicked}
      data-id={id}
      data-hidden={job?.deleted !== undefined}
      style={boxStyle(left, top, width, height)}
      onFocusIn={() => {
        state.cursor.value = id;
      }}
      onPointerEnter={(event) => event.pointerType === 'mouse' && setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      {isFolded ? (
        <FoldedCard id={id} count={count} isCursor={isCursor} />
      ) : (
        <CardLink
          id={id}
          path={`/jobs/${id}`}
          name={job ? cardName(job) : text('gallery.loading')}
          isCursor={isCursor}
        />
      )}
      {!isFolded && job === undefined && (
        <div class="card-images fill">
          <i class="skeleton" />
        </div>
      )}
      {hasImages && <CardImages job={job} width={width} height={height} />}
      {!isFolded && job && !hasImages && !hasEnded && <OpenCard job={job} tabIndex={tabIndex} />}
      {hasEnded && <EndedCard job={job} tabIndex={tabIndex} />}
      {hasImages && <Badges job={job} />}
      {hasImages && isActive && <CardOverlay job={job} tabIndex={tabIndex} />}
      {hasEnded && isActive && !stays && <MoreButton job={job} tabIndex={tabIndex} />}
      {(stays || (hasImages && isActive)) && (
        <PickButton id={id} isPicked={isPicked} stays={stays} tabIndex={tabIndex} />
      )}
    </div>
  );
}

function Badges({ job }: { readonly job: JobSummary }) {
  const count = shownArtifacts(job).length;
  const verdict = shownVerdict(job);
  return (
    <>
      {count > 1 && (
        <span class="badge chip count num">
          <Icon of={Layers2} small />
          {count}
        </span>
      )}
      <span class="signs row">
        {job.deleted !== undefined ? (
          <span class="badge chip">
            <Icon of={EyeOff} small />
            {text('card.hidden')}
          </span>
        ) : (
          job.favorite && (
            <span class="badge chip">
              <Icon of={Heart} small filled />
            </span>
          )
        )}
        {verdict !== undefined && (
          <span class="badge chip">
            <Icon of={LOOKS[verdict].icon} small />
            {verdict === 'invalid' && text('credentials.badge.invalid')}
          </span>
        )}
      </span>
    </>
  );
}

/** Returns the verdict that a card shows: always that an image was changed, and any other verdict only on request. */
function shownVerdict(job: JobSummary) {
  const verdict = toJobVerdict(shownArtifacts(job));
  return verdict === 'invalid' || credentialMarks.value === 'on' ? verdict : undefined;
}

interface CardLinkProps {
  readonly id: string;
  /** The path of the job or list to open, below /dashboard. */
  readonly path: string;
  readonly name: string;
  readonly isCursor: boolean;
}

/** Makes the whole card a link. While a selection is active, a press selects or deselects the card. */
function CardLink({ id, path, name, isCursor }: CardLinkProps) {
  const { router } = usePage();
  const { state, selected } = useGallery();

  function onClick(event: MouseEvent): void {
    const { selection, arrivals, cursor } = state;
    if (event.shiftKey) {
      event.preventDefault();
      selection.extend(arrivals.shown.peek(), cursor.peek(), id);
      cursor.value = id;
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    cursor.value = id;
    // A click event from the Enter key has a `detail` of 0. Enter always opens the card.
    if (selection.active.peek() && event.detail > 0) selected.toggle(id);
    else router.navigate(path);
  }

  return (
    <a
      class="card-link fill"
      href={ROOT + path}
      tabIndex={isCursor ? 0 : -1}
      draggable={false}
      onClick={onClick}
      onMouseDown={(event) => {
        // Prevents text selection, and keeps the focus on the card at which the range starts.
        if (event.shiftKey) event.preventDefault();
      }}
    >
      <span class="sr">{name}</span>
    </a>
  );
}

interface FoldedCardProps {
  readonly id: string;
  readonly count: number;
  readonly isCursor: boolean;
}

/** Shows the number of neighbouring jobs that were cancelled while they waited, and leads to the list of the cancelled jobs of the day. */
function FoldedCard({ id, count, isCursor }: FoldedCardProps) {
  const { router } = usePage();
  const { state } = useGallery();
  const date = toDate(state.shapes.of([id])[0]?.day ?? 0);
  const { filter } = state.feed.value;
  const path = toPath({ ...filter, status: 'cancelled', from: date, to: date });
  return (
    <>
      <CardLink id={id} path={path} name={text('card.folded', { count })} isCursor={isCursor} />
      <CardNote
        {...STATUS_LOOKS.cancelled}
        title={text('gallery.wasCancelled', { count })}
        say={text('card.folded.text')}
      >
        <Button
          size="small"
          tabIndex={isCursor ? 0 : -1}
          aria-label={text('card.folded.show', { count })}
          onClick={() => router.navigate(path)}
        >
          {text('action.show')}
        </Button>
      </CardNote>
    </>
  );
}

interface CardImagesProps {
  readonly job: JobSummary;
  readonly width: number;
  readonly height: number;
}

const MOST = 4;

/** Shows the images of a job: a single image, or a mosaic of several. */
function CardImages({ job, width, height }: CardImagesProps) {
  const artifacts = shownArtifacts(job);
  const count = artifacts.length;
  const rest = count - MOST;
  return (
    <div class={`card-images fill of-${Math.min(count, MOST)}`}>
      {artifacts.slice(0, MOST).map((artifact, index) => (
        <Thumbnail
          key={artifact.id}
          job={job}
          artifact={artifact}
          width={share(width, count, index)}
          height={height}
        />
      ))}
      {rest > 0 && <span class="rest chip num">{text('card.rest', { count: rest })}</span>}
    </div>
  );
}

/** Returns the width of one image in a mosaic, in CSS pixels. The height is computed from the ratio of the image. */
function share(width: number, count: number, index: number): number {
  if (count === 1) return width;
  return count === 3 && index === 0 ? (width * 2) / 3 : width / 2;
}

function Thumbnail({
  job,
  artifact,
  width,
  height,
}: CardImagesProps & { readonly artifact: JobArtifact }) {
  const ratio = artifact.width / artifact.height;
  const isAlone = shownArtifacts(job).length === 1;
  const edge = [width, isAlone ? height : Math.min(height, width / ratio)] as const;
  const image = useSteadyImage(thumbnailPath(artifact.id, ...edge, window.devicePixelRatio));
  if (image.state === 'failed') {
    return <LostImage error={image.error} prompt={isAlone ? job.prompt : undefined} />;
  }
  if (image.state === 'loading') return <i class="skeleton" />;
  // Images in formats other than JPEG can be transparent, so a pattern is shown behind such images.
  const isMaybeClear = artifact.format !== 'jpeg';
  return (
    <img
      class={isMaybeClear ? 'on-pattern' : ''}
      src={image.url}
      alt=""
      decoding="async"
      draggable={false}
    />
  );
}

interface CardOverlayProps {
  readonly job: JobSummary;
  readonly tabIndex: number;
}

/** Shows a caption and buttons over the image of the card that is hovered or focused. */
function CardOverlay({ job, tabIndex }: CardOverlayProps) {
  return (
    <div class="card-overlay fill">
      <div class="card-scrim fill stack">
        <p class="clamp" dir="auto">
          {job.prompt}
        </p>
        <small class="cut">{cardFacts(job)}</small>
      </div>
      <Tools job={job} tabIndex={tabIndex} />
    </div>
  );
}

function Tools({ job, tabIndex }: CardOverlayProps) {
  const { actions } = useGallery();
  const { id, favorite } = job;
  return (
    <div class="tools">
      {job.deleted !== undefined ? (
        <IconButton
          over
          icon={Undo2}
          label={text('card.restore')}
          tabIndex={tabIndex}
          onClick={() => void actions.setHidden([id], false)}
        />
      ) : (
        <IconButton
          over
          class="extra"
          icon={Heart}
          label={text('card.favourite')}
          pressed={favorite}
          tabIndex={tabIndex}
          onClick={() => void actions.setFavorite([id], !favorite)}
        />
      )}
      <IconButton
        over
        class="extra"
        icon={Pencil}
        label={text('card.edit')}
        tabIndex={tabIndex}
        onClick={() => actions.editThis(id)}
      />
      <MoreButton job={job} tabIndex={tabIndex} over />
    </div>
  );
}

/** Returns the accessible name of a card: prompt, state and number of images. */
function cardName(job: JobSummary): string {
  const { status } = job;
  const state = isOpen(job)
    ? stageText(job, job.outputs)
    : status !== 'succeeded' && text(`gallery.status.${status}`);
  const images = shownArtifacts(job).length;
  const count = images > 1 && text('card.images', { count: images });
  const verdict = shownVerdict(job);
  const marks = [
    job.favorite && text('card.favourite'),
    job.deleted !== undefined && text('card.hidden'),
    verdict !== undefined && text(`credentials.badge.${verdict}`),
  ];
  return [job.prompt, state, count, ...marks].filter(Boolean).join('. ');
}

/** Returns the model, the image size and the time in one line. */
function cardFacts(job: JobSummary): string {
  const [image] = shownArtifacts(job);
  const model = job.model ?? job.provider;
  return [
    job.provider === 'sandbox' ? text('card.rehearsal', { model }) : model,
    image && text('size', { width: String(image.width), height: String(image.height) }),
    formatTime(job.created),
  ]
    .filter(Boolean)
    .join(text('list.separator'));
}

interface PickButtonProps {
  readonly id: string;
  readonly isPicked: boolean;
  /** True if the button is always visible, false if the button is visible only on hover and focus. */
  readonly stays: boolean;
  readonly tabIndex: number;
}

function PickButton({ id, isPicked, stays, tabIndex }: PickButtonProps) {
  const { selected } = useGallery();
  return (
    <button
      type="button"
      class={stays ? 'pick-button middle stays' : 'pick-button middle'}
      role="checkbox"
      aria-checked={isPicked}
      aria-label={text('card.select')}
      tabIndex={tabIndex}
      onClick={() => selected.toggle(id)}
    >
      <i class="middle">{isPicked && <Icon of={Check} small />}</i>
    </button>
  );
}

interface MoreButtonProps {
  readonly job: JobSummary;
  readonly tabIndex: number;
  /** True if the button lies on top of an image. */
  readonly over?: boolean;
}

function MoreButton({ job, tabIndex, over = false }: MoreButtonProps) {
  const { isOpen, button, menu } = useMenu();
  const label = text('card.more');
  return (
    <>
      <IconButton
        {...button}
        over={over}
        small
        class="more"
        icon={Ellipsis}
        label={label}
        tabIndex={tabIndex}
      />
      {isOpen && (
        <Menu {...menu} label={label} placement="bottom-end">
          <CardMenuItems job={job} />
        </Menu>
      )}
    </>
  );
}

/** Lists all actions on one card, each with its key. */
function CardMenuItems({
  job: { id, favorite, deleted, artifacts },
}: {
  readonly job: JobSummary;
}) {
  const { actions } = useGallery();
  const isHidden = deleted !== undefined;
  const hasImages = artifacts.length > 0;
  const item = (icon: IconNode, key: string, label: TextKey, run: () => unknown) => (
    <MenuItem icon={icon} end={key && <kbd>{key}</kbd>} onChoose={() => void run()}>
      {text(label)}
    </MenuItem>
  );
  return (
    <>
      {hasImages && item(Pencil, 'E', 'card.edit', () => actions.editThis(id))}
      {item(Repeat2, 'R', 'card.makeAgain', () => actions.makeAgain([id]))}
      {item(PenLine, '', 'card.change', () => actions.change(id))}
      {hasImages && item(Columns2, 'C', 'gallery.compare', () => actions.compare([id]))}
      {item(Download, 'D', 'gallery.download', () => actions.download([id]))}
      {item(Copy, '', 'card.copyPrompt', () => actions.copyPrompt(id))}
      {item(Heart, 'F', favorite ? 'card.unfavourite' : 'card.favourite', () =>
        actions.setFavorite([id], !favorite),
      )}
      {item(isHidden ? Undo2 : EyeOff, 'H', isHidden ? 'card.restore' : 'card.hide', () =>
        actions.setHidden([id], !isHidden),
      )}
    </>
  );
}
