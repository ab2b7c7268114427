import { ArrowUp } from 'lucide';
import { Icon } from '../../controls/icon.tsx';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';
import './new-pill.css';

/** How many new jobs wait above, and the way to them. */
export function NewPill({ onPress }: { readonly onPress: () => void }) {
  const { state } = useGallery();
  const { value: count } = state.arrivals.count;
  return (
    <div class="new-pill" role="status">
      {count > 0 && (
        <button type="button" class="float num" onClick={onPress}>
          <Icon of={ArrowUp} />
          {text('gallery.new', { count })}
        </button>
      )}
    </div>
  );
}
