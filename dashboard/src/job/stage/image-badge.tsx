import type { Size } from '../../images/size.ts';
import { imageText } from '../state/image-text.ts';
import type { JobImage } from '../state/job-images.ts';
import { useLook } from '../state/look-context.ts';
import { usePlace } from './use-place.ts';
import './image-badge.css';

interface Props {
  readonly image: JobImage;
  readonly side: 'a' | 'b';
  readonly pane: Size;
  readonly longest: number;
}

const INSET_PX = 12;

/** Which of the two an image is, in the corner of what is seen of it. */
export function ImageBadge({ image, side, pane, longest }: Props) {
  const { looking } = useLook();
  const { seen } = usePlace()(image, pane, longest);
  const atEnd = looking.view === 'slider' && side === 'b';
  const style = {
    insetBlockStart: `${seen.top + INSET_PX}px`,
    ...(atEnd
      ? { insetInlineEnd: `${pane.width - seen.left - seen.width + INSET_PX}px` }
      : { insetInlineStart: `${seen.left + INSET_PX}px` }),
  };
  return (
    <span class="image-badge" style={style}>
      <b>{side.toUpperCase()}</b> {imageText(image)}
    </span>
  );
}
