import { Check } from 'lucide';
import { Icon } from '../../controls/icon.tsx';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import './pick-button.css';

interface Props {
  readonly id: string;
  readonly isPicked: boolean;
  /** Whether it stays, instead of being there for the pointer and the focus only. */
  readonly stays: boolean;
  readonly tabIndex: number;
}

/** Chooses a card. */
export function PickButton({ id, isPicked, stays, tabIndex }: Props) {
  const { state } = useGallery();
  return (
    <button
      type="button"
      class={stays ? 'pick-button stays' : 'pick-button'}
      role="checkbox"
      aria-checked={isPicked}
      aria-label={text('card.select')}
      tabIndex={tabIndex}
      onClick={() => state.selection.toggle(id)}
    >
      <i>{isPicked && <Icon of={Check} small />}</i>
    </button>
  );
}
