import { Ellipsis } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { JobSummary } from '../../api/schemas.ts';
import { IconButton } from '../../controls/icon-button.tsx';
import { text } from '../../text/text.ts';
import { CardMenu } from './card-menu.tsx';

interface Props {
  readonly job: JobSummary;
  readonly tabIndex: number;
  /** On top of an image. */
  readonly over?: boolean;
}

/** The way to everything that can be done with a card. */
export function MoreButton({ job, tabIndex, over = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton
        over={over}
        small
        class="more"
        icon={Ellipsis}
        label={text('card.more')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        tabIndex={tabIndex}
        buttonRef={button}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && <CardMenu job={job} anchor={button} onClose={() => setOpen(false)} />}
    </>
  );
}
