import { EyeOff, FileX, Heart, ImageUp, Pencil, Scissors, Shuffle } from 'lucide';
import type { JobArtifact } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { useImage, usePartialImage } from '../../images/use-image.ts';
import { isOpen } from '../../jobs/job-state.ts';
import { stageText } from '../../jobs/progress.tsx';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/job-text.ts';
import type { Box } from './family-layout.ts';
import { MAX_IMAGES, type Parent, type Relative, type Spot } from './family-tree.ts';
import { type Relation, relationOf } from './relation.ts';

interface PlaceProps {
  readonly box: Box;
  /** True for the job in view. */
  readonly isHere: boolean;
  /** The image that the Tab key reaches. */
  readonly stop: Spot;
  readonly sideOf: (spot: Spot) => 'A' | 'B' | 'shown' | undefined;
  readonly onOpen: (spot: Spot) => void;
  readonly onFocus: (spot: Spot) => void;
}

/** Renders one job of the family, or an image whose job was removed. */
export function FamilyPlace(props: PlaceProps) {
  const { place, left, top, width } = props.box;
  const style = { left: `${left}px`, top: `${top}px`, inlineSize: `${width}px` };
  const { kin } = place;
  return (
    <div class="kin" style={style} aria-current={props.isHere ? 'true' : undefined}>
      {kin.kind === 'gone' ? <Gone image={kin.image} /> : <RelativeJob {...props} job={kin.job} />}
    </div>
  );
}

/** Shows what is known of an image that no longer exists. */
function Gone({ image: { name, width, height, created } }: { readonly image: Parent }) {
  const day = new Date(created * 1000).toLocaleDateString('en', { dateStyle: 'medium' });
  return (
    <>
      <span class="kin-image gone">
        <Icon of={FileX} />
      </span>
      <small class="cut" title={`${name}, ${width} × ${height}, ${day}`}>
        {text('family.gone', { name })}
      </small>
    </>
  );
}

/** The largest number of characters of a prompt in the name of an image. */
const MAX_CHARACTERS = 60;

/** Returns the beginning of the prompt of a job. */
export function shortPrompt({ prompt }: Pick<Relative, 'prompt'>): string {
  if (prompt.length <= MAX_CHARACTERS) return prompt;
  return `${prompt.slice(0, MAX_CHARACTERS).trimEnd()}…`;
}

function RelativeJob({ job, ...props }: PlaceProps & { readonly job: Relative }) {
  const { jobs } = usePage();
  const { place } = props.box;
  // The list knows the progress of a running job earlier than the family.
  const latest = jobs.watch(job.id) ?? job;
  const shown = job.artifacts.slice(0, MAX_IMAGES);
  const rest = job.artifacts.length - shown.length;
  const title = shortPrompt(job);
  const state = isOpen(latest)
    ? stageText(latest, latest.outputs)
    : text(`gallery.status.${latest.status}`);
  const relation = relationOf(place);
  return (
    <>
      <div class="row">
        {shown.map((artifact, index) => (
          <RelativeImage
            key={artifact.id}
            {...props}
            artifact={artifact}
            spot={{ place: job.id, number: index + 1 }}
            isUsed={place.used.has(index)}
            name={text('family.image', {
              prompt: title,
              number: index + 1,
              images: job.artifacts.length,
            })}
          />
        ))}
        {shown.length === 0 && <NoImage {...props} job={latest} name={`${title}, ${state}`} />}
      </div>
      <small class="cut" dir="auto">
        {relation && <Icon of={RELATIONS[relation.kind]} small />}
        {toCaption(relation, isOpen(latest) ? state : undefined, title, rest)}
      </small>
    </>
  );
}

const RELATIONS = { edit: Pencil, variation: Shuffle, crop: Scissors, reference: ImageUp };

/**
 * Returns the caption of a job: from which image it was made, and its stage while it runs, or its prompt. A variation has the prompt
 * of its parent, and a crop has none. `rest` is the number of images that the tree does not show.
 */
function toCaption(
  relation: Relation | undefined,
  stage: string | undefined,
  title: string,
  rest: number,
): string {
  const from = relation && text(`family.from.${relation.kind}`, { number: relation.number });
  const hasOwnPrompt = relation === undefined || /^(edit|reference)$/.test(relation.kind);
  const prompt = stage ?? (hasOwnPrompt ? title : undefined);
  const words =
    from === undefined || prompt === undefined
      ? (from ?? prompt ?? title)
      : text('family.from', { from, prompt });
  return rest > 0 ? text('family.rest', { rest, prompt: words }) : words;
}

interface ImageProps extends PlaceProps {
  readonly artifact: JobArtifact;
  readonly spot: Spot;
  /** True if another job was made from this image. */
  readonly isUsed: boolean;
  readonly name: string;
}

function RelativeImage(props: ImageProps) {
  const { artifact, spot, isUsed, name, stop, sideOf, onOpen, onFocus } = props;
  const { id, format, favorite, hidden } = artifact;
  const image = useImage(`/v1/artifacts/${id}/thumbnail?edge=256`);
  const side = sideOf(spot);
  const label = [
    side === 'A' || side === 'B' ? text('job.onSide', { side, image: name }) : name,
    favorite && text('card.favourite'),
    hidden && text('card.hidden'),
  ].filter(Boolean);
  return (
    <button
      type="button"
      class={format === 'jpeg' ? 'kin-image' : 'kin-image on-pattern'}
      data-spot={`${spot.place}.${spot.number}`}
      data-used={isUsed}
      data-hidden={hidden === true}
      tabIndex={stop.place === spot.place && stop.number === spot.number ? 0 : -1}
      aria-pressed={side !== undefined}
      aria-label={label.join(', ')}
      title={name}
      onClick={() => onOpen(spot)}
      onFocus={() => onFocus(spot)}
    >
      {image.state === 'ready' && <img class="cover" src={image.url} alt="" decoding="async" />}
      {(side === 'A' || side === 'B') && <span class="side chip">{side}</span>}
      {(favorite || hidden) && (
        <span class="thumb-mark chip">
          <Icon of={hidden ? EyeOff : Heart} small filled={!hidden} />
        </span>
      )}
    </button>
  );
}

interface NoImageProps extends PlaceProps {
  readonly job: Pick<Relative, 'id' | 'progress'>;
  readonly name: string;
}

/** Renders a job without finished images: its unfinished image, or an empty place. */
function NoImage({ job, name, stop, onOpen, onFocus }: NoImageProps) {
  const partial = usePartialImage(job);
  const spot = { place: job.id, number: 1 };
  return (
    <button
      type="button"
      class="kin-image"
      data-spot={`${job.id}.1`}
      tabIndex={stop.place === job.id ? 0 : -1}
      aria-label={name}
      title={name}
      onClick={() => onOpen(spot)}
      onFocus={() => onFocus(spot)}
    >
      {partial.state === 'ready' && <img class="cover" src={partial.url} alt="" decoding="async" />}
    </button>
  );
}
