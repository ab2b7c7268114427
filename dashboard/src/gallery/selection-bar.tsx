import { Columns2, Download, EyeOff, Heart, Undo2, X } from 'lucide';
import { IconButton } from '../controls/button.tsx';
import { usePage } from '../page-context.ts';
import { text } from '../text/text.ts';
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
  return (
    <div class="selection-bar float row" role="toolbar" aria-label={text('gallery.selection')}>
      <strong class="num" role="status">
        {nothing ? text('gallery.selectHint') : count}
      </strong>
      <IconButton
        icon={Heart}
        label={text(isFavourite ? 'card.unfavourite' : 'card.favourite')}
        disabled={nothing}
        onClick={() => void actions.setFavorite(ids, !isFavourite)}
      />
      <IconButton
        icon={isHidden ? Undo2 : EyeOff}
        label={text(isHidden ? 'card.restore' : 'card.hide')}
        disabled={nothing}
        onClick={() => void actions.setHidden(ids, !isHidden)}
      />
      <IconButton
        icon={Columns2}
        label={text('gallery.compare')}
        disabled={nothing || ids.length > 2}
        onClick={() => actions.compare(state.targets())}
      />
      <IconButton
        icon={Download}
        label={text('gallery.downloadAll')}
        disabled={nothing}
        onClick={() => void actions.download(state.targets())}
      />
      <i class="sep" />
      <IconButton icon={X} label={text('gallery.clearSelection')} onClick={selection.clear} />
    </div>
  );
}
