import { ImageOff } from 'lucide';
import type { ApiError } from '../../api/api-error.ts';
import { Icon } from '../../controls/icon.tsx';
import type { Size } from '../../images/size.ts';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import './lost-image.css';

interface Props {
  readonly error: ApiError;
  /** The place of the image, in CSS pixels; where it is small, the words need more. */
  readonly size: Size;
}

/** In the place of an image that does not come: removed meanwhile, changed on the disk, or not loaded for now. */
export function LostImage({ error, size }: Props) {
  const failure =
    error.status === 404
      ? { title: text('job.removed'), text: text('job.removed.text') }
      : toFailureText(error, Date.now());
  return (
    <div
      class="lost-image"
      style={{ inlineSize: `${size.width}px`, blockSize: `${size.height}px` }}
      role="status"
    >
      <Icon of={ImageOff} />
      <p>{failure.title}</p>
      <p class="soft">{failure.text}</p>
    </div>
  );
}
