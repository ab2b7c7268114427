import { ImageOff } from 'lucide';
import type { ApiError } from '../../api/api-error.ts';
import { Icon } from '../../controls/icon.tsx';
import { toFailureText } from '../../text/failure-text.ts';
import { text } from '../../text/text.ts';
import './lost-image.css';

interface Props {
  readonly error: ApiError;
  readonly shape: Readonly<Record<string, string>>;
}

/** In the place of an image that does not come: removed meanwhile, changed on the disk, or not loaded for now. */
export function LostImage({ error, shape }: Props) {
  const failure =
    error.status === 404
      ? { title: text('job.gone'), text: text('job.gone.text') }
      : toFailureText(error, Date.now());
  return (
    <div class="lost-image" style={shape} role="status">
      <Icon of={ImageOff} />
      <p>{failure.title}</p>
      <p class="soft">{failure.text}</p>
    </div>
  );
}
