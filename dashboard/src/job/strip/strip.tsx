import { ChevronLeft, ChevronRight, EyeOff, Heart } from 'lucide';
import type { Job } from '../../api/schemas.ts';
import { Button, Icon, IconButton } from '../../controls/button.tsx';
import { useImage } from '../../images/use-image.ts';
import type { ImageMarks } from '../../jobs/image-marks.ts';
import { text } from '../../text/text.ts';
import { imageText, type JobImage, marksOfImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import type { Neighbours } from '../state/neighbours.ts';
import './strip.css';

interface StripProps {
  readonly job: Job | undefined;
  readonly neighbours: Neighbours;
  readonly onChoose: (id: string) => void;
}

/** Renders the images of the job, with buttons to the neighbouring jobs at both ends. */
export function Strip({ job, neighbours, onChoose }: StripProps) {
  const { images } = useLook();
  const groups = [['source', 'reference'], ['output'], ['other']].map((kinds) =>
    images.filter(({ kind }) => kinds.includes(kind)),
  );
  return (
    <div class="strip row">
      <Way to={neighbours.newer} name="newer" onChoose={onChoose} />
      <div class="thumbs row" role="group" aria-label={text('job.images')}>
        {images.length > 1 &&
          groups
            .filter((group) => group.length > 0)
            .map((group) => (
              <span key={group[0]?.ref} class="row">
                {group.map((image) => (
                  <StripThumb key={image.ref} image={image} marks={marksOfImage(job, image)} />
                ))}
              </span>
            ))}
      </div>
      <Way to={neighbours.older} name="older" onChoose={onChoose} />
    </div>
  );
}

interface WayProps {
  readonly to: string | undefined;
  readonly name: 'newer' | 'older';
  readonly onChoose: (id: string) => void;
}

/** Renders a button to a neighbour. A button without a neighbour is disabled and keeps its place. */
function Way({ to, name, onChoose }: WayProps) {
  const icon = name === 'newer' ? ChevronLeft : ChevronRight;
  const props = { disabled: to === undefined, onClick: () => to !== undefined && onChoose(to) };
  return (
    <>
      <Button look="quiet" class={`only-wide ${name}`} {...props}>
        {name === 'newer' && <Icon of={icon} />}
        {text(`job.${name}`)}
        {name === 'older' && <Icon of={icon} />}
      </Button>
      <IconButton icon={icon} label={text(`job.${name}`)} class="only-narrow" {...props} />
    </>
  );
}

function StripThumb({ image, marks }: { readonly image: JobImage; readonly marks: ImageMarks }) {
  const { looking, press } = useLook();
  const loaded = useImage(`${image.path}/thumbnail?edge=256`);
  const isA = looking.a === image;
  const isB = looking.b === image && looking.view !== 'grid';
  const side = isA ? 'A' : looking.a !== undefined && isB ? 'B' : undefined;
  const name = [
    imageText(image),
    marks.favorite && text('card.favourite'),
    marks.hidden && text('card.hidden'),
  ]
    .filter(Boolean)
    .join(', ');
  return (
    <button
      type="button"
      class={image.format === 'jpeg' ? 'strip-thumb' : 'strip-thumb on-pattern'}
      data-hidden={marks.hidden === true}
      aria-pressed={isA || isB}
      aria-label={side ? text('job.onSide', { side, image: name }) : name}
      title={name}
      onClick={() => press(image)}
    >
      {loaded.state === 'ready' && <img class="cover" src={loaded.url} alt="" decoding="async" />}
      {side && <span class="side chip">{side}</span>}
      {(marks.hidden || marks.favorite) && (
        <span class="thumb-mark chip">
          <Icon of={marks.hidden ? EyeOff : Heart} small filled={!marks.hidden} />
        </span>
      )}
    </button>
  );
}
