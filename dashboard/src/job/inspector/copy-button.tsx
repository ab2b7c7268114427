import { Copy } from 'lucide';
import { IconButton } from '../../controls/icon-button.tsx';
import { type TextKey, text } from '../../text/text.ts';
import { useJobActions } from '../state/actions-context.ts';

interface Props {
  /** Its name: The prompt. */
  readonly what: TextKey;
  readonly content: string;
}

/** Copies a text and says so. */
export function CopyButton({ what, content }: Props) {
  const { copy } = useJobActions();
  return (
    <IconButton
      small
      icon={Copy}
      label={text('job.copyWhat', { what: text(what) })}
      onClick={() => copy(content, what)}
    />
  );
}
