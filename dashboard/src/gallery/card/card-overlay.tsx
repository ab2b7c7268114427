import { Heart, Pencil, Undo2 } from 'lucide';
import type { JobSummary } from '../../api/schemas.ts';
import { IconButton } from '../../controls/icon-button.tsx';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import { cardFacts } from './card-text.ts';
import { MoreButton } from './more-button.tsx';
import './card-overlay.css';

interface Props {
  readonly job: JobSummary;
  readonly tabIndex: number;
}

/** Over the image of the card that is pointed at or focused: what it is, and what can be done with it. */
export function CardOverlay({ job, tabIndex }: Props) {
  return (
    <div class="card-overlay">
      <div class="caption">
        <p dir="auto">{job.prompt}</p>
        <small class="cut">{cardFacts(job)}</small>
      </div>
      <Tools job={job} tabIndex={tabIndex} />
    </div>
  );
}

function Tools({ job, tabIndex }: Props) {
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
