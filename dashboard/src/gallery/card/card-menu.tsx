import { Columns2, Copy, Download, EyeOff, Heart, Pencil, PenLine, Repeat2, Undo2 } from 'lucide';
import type { RefObject } from 'preact';
import type { JobSummary } from '../../api/schemas.ts';
import { Menu } from '../../controls/menu.tsx';
import { MenuItem } from '../../controls/menu-item.tsx';
import { text } from '../../text/text.ts';
import { useGallery } from '../state/use-gallery.ts';

interface Props {
  readonly job: JobSummary;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** Everything that can be done with one image, with its key. */
export function CardMenu({ job, anchor, onClose }: Props) {
  const { actions } = useGallery();
  const { id, favorite, deleted } = job;
  const isHidden = deleted !== undefined;
  const hasImages = job.artifacts.length > 0;
  const items = [
    hasImages && {
      icon: Pencil,
      key: 'E',
      label: text('card.edit'),
      run: () => actions.editThis(id),
    },
    { icon: Repeat2, key: 'R', label: text('card.makeAgain'), run: () => actions.makeAgain([id]) },
    { icon: PenLine, key: '', label: text('card.change'), run: () => actions.change(id) },
    hasImages && {
      icon: Columns2,
      key: 'C',
      label: text('gallery.compare'),
      run: () => actions.compare([id]),
    },
    {
      icon: Download,
      key: 'D',
      label: text('gallery.download'),
      run: () => actions.download([id]),
    },
    { icon: Copy, key: '', label: text('card.copyPrompt'), run: () => actions.copyPrompt(id) },
    {
      icon: Heart,
      key: 'F',
      label: text(favorite ? 'card.unfavourite' : 'card.favourite'),
      run: () => actions.setFavorite([id], !favorite),
    },
    {
      icon: isHidden ? Undo2 : EyeOff,
      key: 'H',
      label: text(isHidden ? 'card.restore' : 'card.hide'),
      run: () => actions.setHidden([id], !isHidden),
    },
  ];
  return (
    <Menu anchor={anchor} label={text('card.more')} placement="bottom-end" onClose={onClose}>
      {items
        .filter((item) => item !== false)
        .map(({ icon, key, label, run }) => (
          <MenuItem
            key={label}
            icon={icon}
            end={key && <kbd>{key}</kbd>}
            onChoose={() => {
              anchor.current?.focus();
              onClose();
              void run();
            }}
          >
            {label}
          </MenuItem>
        ))}
    </Menu>
  );
}
