import { EyeOff, Heart, Layers2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { JobSummary } from '../../api/schemas.ts';
import { Icon } from '../../controls/icon.tsx';
import { isOpen } from '../../jobs/job-state.ts';
import { usePage } from '../../page-context.ts';
import { text } from '../../text/text.ts';
import { boxStyle } from '../layout/box-style.ts';
import { useGallery } from '../state/use-gallery.ts';
import { CardImages } from './card-images.tsx';
import { CardLink } from './card-link.tsx';
import { CardOverlay } from './card-overlay.tsx';
import { EndedCard } from './ended-card.tsx';
import { MoreButton } from './more-button.tsx';
import { OpenCard } from './open-card.tsx';
import { PickButton } from './pick-button.tsx';
import './card.css';

interface Props {
  readonly id: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Whether Tab reaches it. */
  readonly isCursor: boolean;
  readonly isPicked: boolean;
}

/** One job. */
export function Card(props: Props) {
  const { id, left, top, width, height, isCursor, isPicked } = props;
  const { jobs } = usePage();
  const { state } = useGallery();
  const [hovered, setHovered] = useState(false);
  const job = jobs.get(id)?.value;
  if (job === undefined) return null;
  const tabIndex = isCursor ? 0 : -1;
  const hasImages = job.artifacts.length > 0;
  const isActive = hovered || isCursor;
  const hasEnded = !hasImages && !isOpen(job);
  const stays = isPicked || state.selection.active.value;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its link has the focus
    <div
      id={`card-${id}`}
      class="card"
      role="gridcell"
      aria-selected={isPicked}
      data-id={id}
      data-hidden={job.deleted !== undefined}
      style={boxStyle(left, top, width, height)}
      onFocusIn={() => {
        state.cursor.value = id;
      }}
      onPointerEnter={(event) => event.pointerType === 'mouse' && setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      <CardLink job={job} isCursor={isCursor} />
      {hasImages && <CardImages job={job} width={width} height={height} />}
      {!hasImages && isOpen(job) && <OpenCard job={job} tabIndex={tabIndex} />}
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
  const count = job.artifacts.length;
  return (
    <>
      {count > 1 && (
        <span class="badge count num">
          <Icon of={Layers2} small />
          {count}
        </span>
      )}
      {job.deleted !== undefined ? (
        <span class="badge sign">
          <Icon of={EyeOff} small />
          {text('card.hidden')}
        </span>
      ) : (
        job.favorite && (
          <span class="badge sign">
            <Icon of={Heart} small filled />
          </span>
        )
      )}
    </>
  );
}
