import { FileX } from 'lucide';
import { useMemo } from 'preact/hooks';
import type { Family } from '../../api/schemas.ts';
import { Icon } from '../../controls/button.tsx';
import { useImage } from '../../images/use-image.ts';
import { text } from '../../text/job-text.ts';
import { formatShortDay, formatTime } from '../../text/text.ts';
import {
  lineageOf,
  originOf,
  type Parent,
  type Place,
  type Relative,
  toTree,
} from '../family/family-tree.ts';
import { shortPrompt } from '../family/place.tsx';
import { isCrop } from '../family/relation.ts';
import { useRelatives } from '../family/use-relatives.ts';
import { useLook } from '../state/look-context.ts';

interface WayProps {
  readonly id: string;
  readonly family: Family;
}

/** Lists the images from which the image in view was made, beginning with the first. Renders nothing for an image without ancestors. */
export function WaySection({ id, family }: WayProps) {
  const { looking } = useLook();
  const relatives = useRelatives(id);
  const way = useMemo(() => lineageOf(toTree(family).find((each) => each.id === id)), [family, id]);
  if (way.length < 2) return null;
  const here = looking.b?.kind === 'output' ? looking.b.number : 1;
  return (
    <section class="way-section stack">
      <h2>{text('family.way')}</h2>
      <ol>
        {way.map((place, index) => (
          <li key={place.id}>
            <Step
              place={place}
              number={numberIn(way[index + 1]) ?? here}
              isHere={place.id === id}
              onOpen={relatives.open}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Returns the number of the image that the next step was made from. */
const numberIn = (next: Place | undefined) => next && originOf(next)?.number;

interface StepProps {
  readonly place: Place;
  readonly number: number;
  readonly isHere: boolean;
  readonly onOpen: ReturnType<typeof useRelatives>['open'];
}

function Step({ place, number, isHere, onOpen }: StepProps) {
  const { kin } = place;
  if (kin.kind === 'gone') return <GoneStep image={kin.image} />;
  return (
    <button
      type="button"
      class="step pickable"
      aria-current={isHere ? 'true' : undefined}
      onClick={() => onOpen({ place: place.id, number })}
    >
      <StepImage job={kin.job} number={number} />
      <span class="step-text">
        <b class="cut" dir="auto">
          {nameOf(kin.job, number)}
        </b>
        <small class="cut num">{detailOf(kin.job)}</small>
      </span>
    </button>
  );
}

function StepImage({ job, number }: { readonly job: Relative; readonly number: number }) {
  const artifact = job.artifacts[number - 1];
  const image = useImage(artifact && `/v1/artifacts/${artifact.id}/thumbnail?edge=256`);
  return (
    <span class="step-image">
      {image.state === 'ready' && <img class="cover" src={image.url} alt="" decoding="async" />}
    </span>
  );
}

function GoneStep({ image: { name, width, height, created } }: { readonly image: Parent }) {
  return (
    <div class="step">
      <span class="step-image">
        <Icon of={FileX} />
      </span>
      <span class="step-text">
        <b class="cut">{name}</b>
        <small class="num">
          {text('family.way.gone', {
            width: String(width),
            height: String(height),
            day: formatShortDay(created * 1000),
          })}
        </small>
      </span>
    </div>
  );
}

function nameOf(job: Relative, number: number): string {
  const prompt = shortPrompt(job);
  const { length: images } = job.artifacts;
  return images > 1 ? text('family.image', { prompt, number, images }) : prompt;
}

function detailOf(job: Relative): string {
  const { operation, model, provider, created } = job;
  if (isCrop(job)) return text('family.way.cropped', { time: formatTime(created) });
  const key = operation === 'edit' ? 'family.way.edited' : 'family.way.made';
  return text(key, { model: model ?? provider ?? '', time: formatTime(created) });
}
