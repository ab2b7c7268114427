import { ImageOff } from 'lucide';
import type { ApiError } from '../../api/api-error.ts';
import { text } from '../../text/text.ts';
import { CardNote } from './card-note.tsx';

interface Props {
  readonly error: ApiError;
  /** For a card of its own; in a mosaic there is room for the title alone. */
  readonly prompt: string | undefined;
}

/** An image that does not come: removed meanwhile, or not loaded for now. */
export function LostImage({ error, prompt }: Props) {
  const isRemoved = error.status === 404;
  const title = text(isRemoved ? 'card.removed' : 'card.notLoaded');
  const say = isRemoved ? text('card.removed.text') : prompt;
  return (
    <CardNote
      icon={ImageOff}
      tone="faint"
      title={title}
      {...(prompt !== undefined && { say, ...(isRemoved && { asked: prompt }) })}
    />
  );
}
