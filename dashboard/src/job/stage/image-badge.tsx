import type { Family } from '../../api/schemas.ts';
import { text } from '../../text/job-text.ts';
import { shortPrompt } from '../family/place.tsx';
import { idOf, imageText, type JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { INSET_PX, type PlacedImage, upperCorner } from './image-layer.tsx';

interface ImageBadgeProps {
  readonly placed: PlacedImage;
  readonly side: 'a' | 'b';
}

/** Shows the letter and the name of a compared image in the corner of its visible part. Two badges fit beside each other. */
export function ImageBadge({ placed, side }: ImageBadgeProps) {
  const { looking, family } = useLook();
  const { image, seen } = placed;
  const atEnd = looking.view === 'slider' && side === 'b';
  const widest = Math.max(0, seen.width / 2 - INSET_PX * 1.5);
  const made = findImage(image, family);
  const { length: count = 0 } = made?.job.artifacts ?? {};
  return (
    <span
      class="image-badge chip row"
      style={{ ...upperCorner(placed, atEnd), maxInlineSize: `${widest}px` }}
    >
      <b>{side.toUpperCase()}</b>{' '}
      <span class="cut" dir="auto">
        {made ? shortPrompt(made.job) : imageText(image)}
      </span>{' '}
      {made && count > 1 && (
        <span class="num">{text('table.at', { number: made.number, count })}</span>
      )}
    </span>
  );
}

/** Returns the job of the family that made an image, and the number of the image. */
function findImage({ path, origin, ...image }: JobImage, family: Family | undefined) {
  for (const job of family?.items ?? []) {
    if (origin?.id === job.id) return { job, number: origin.number };
    if (image.kind !== 'output' && image.kind !== 'other') continue;
    const index = job.artifacts.findIndex(({ id }) => id === idOf({ path }));
    if (index >= 0) return { job, number: index + 1 };
  }
  return undefined;
}
