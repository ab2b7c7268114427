import {
  Ban,
  Columns2,
  Download,
  EyeOff,
  Heart,
  type IconNode,
  LayoutGrid,
  Undo2,
  X,
} from 'lucide';
import { IconButton } from '../controls/button.tsx';
import { isOpen } from '../jobs/job-state.ts';
import { usePage } from '../page-context.ts';
import { type TextKey, text } from '../text/text.ts';
import { useGallery } from './state/use-gallery.ts';
import './selection-bar.css';

export function SelectionBar() {
  const { jobs } = usePage();
  const { state, actions } = useGallery();
  const { selection } = state;
  const { value: chosen } = selection.ids;
  if (!selection.active.value) return null;
  const ids = [...chosen];
  const first = ids[0] === undefined ? undefined : jobs.get(ids[0])?.value;
  const isHidden = first?.deleted !== undefined;
  const isFavourite = first?.favorite === true;
  const nothing = ids.length === 0;
  const count = text('gallery.selected', { count: ids.length });
  const tool = (icon: IconNode, label: TextKey, run: () => unknown, disabled = false) => (
    <IconButton
      icon={icon}
      label={text(label)}
      disabled={nothing || disabled}
      onClick={() => void run()}
    />
  );
  return (
    <div class="selection-bar float row" role="toolbar" aria-label={text('gallery.selection')}>
      <strong class="num" role="status">
        {nothing ? text('gallery.selectHint') : count}
      </strong>
      {tool(Heart, isFavourite ? 'card.unfavourite' : 'card.favourite', () =>
        actions.setFavorite(ids, !isFavourite),
      )}
      {first && isOpen(first)
        ? tool(Ban, 'action.cancel', () => actions.remove(ids))
        : tool(isHidden ? Undo2 : EyeOff, isHidden ? 'card.restore' : 'card.hide', () =>
            actions.setHidden(ids, !isHidden),
          )}
      {tool(Columns2, 'gallery.compare', () => actions.compare(state.targets()), ids.length > 2)}
      {tool(LayoutGrid, 'table.title', () => actions.openTable(state.targets()))}
      {tool(Download, 'gallery.downloadAll', () => actions.download(state.targets()))}
      <i class="sep" />
      <IconButton icon={X} label={text('gallery.clearSelection')} onClick={selection.clear} />
    </div>
  );
}
