import {
  Ban,
  CheckCheck,
  Columns2,
  Download,
  EyeOff,
  Heart,
  type IconNode,
  LayoutGrid,
  Tags,
  Undo2,
  X,
} from 'lucide';
import { Button, IconButton } from '../controls/button.tsx';
import { Menu, useMenu } from '../controls/menu.tsx';
import { MAX_JOBS } from '../jobs/job-batches.ts';
import { MAX_IMAGES } from '../light-table/table-path.ts';
import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';
import { formatNumber, type TextKey, text } from '../text/text.ts';
import { mayCreate } from '../usage/usage.ts';
import { useGallery } from './state/use-gallery.ts';
import './selection-bar.css';

const SelectionLabels = lazyView(
  async () => (await import('./selection-labels.tsx')).SelectionLabels,
);

/** Shows the size of the selection and its actions, each with the number of jobs that the action is meant for. */
export function SelectionBar() {
  const { state, selected } = useGallery();
  const { selection } = state;
  if (!selection.active.value) return null;
  const facts = selected.facts();
  const { count = 0, isHidden, isFavourite, isMore } = facts;
  const isWhole = selection.whole.value !== undefined;
  const nothing = count === 0;
  // Without a selection, the facts are about the focused card, which only the keys act on.
  const { open, ended } = nothing ? { open: 0, ended: 0 } : facts;
  const tooMany = isMore ? text('gallery.all.tooMany', { count: MAX_JOBS }) : undefined;
  const tool = (icon: IconNode, label: TextKey, run: () => void, refused = tooMany) => (
    <IconButton
      icon={icon}
      label={text(label)}
      disabled={nothing}
      refused={nothing ? undefined : refused}
      onClick={run}
    />
  );
  const counted = (icon: IconNode, label: TextKey, number: number, run: () => void) => (
    <CountedAction
      {...{ icon, isMore, refused: tooMany }}
      label={text(label)}
      count={number}
      onPress={run}
    />
  );
  const hide = isHidden ? 'card.restore' : 'card.hide';
  return (
    <div class="selection-bar float row" role="toolbar" aria-label={text('gallery.selection')}>
      <strong class="num" role="status">
        {toStateText(facts, isWhole)}
      </strong>
      {counted(
        Heart,
        isFavourite ? 'card.unfavourite' : 'card.favourite',
        count,
        selected.favourite,
      )}
      {open > 0 && counted(Ban, 'action.cancel', open, selected.cancel)}
      {(ended > 0 || open === 0) && counted(isHidden ? Undo2 : EyeOff, hide, ended, selected.hide)}
      <LabelsButton nothing={nothing} refused={tooMany} />
      {tool(Columns2, 'gallery.compare', selected.compare, toCompareRefusal(isWhole, count))}
      {tool(LayoutGrid, 'table.title', selected.openTable, toTableRefusal(isWhole, count))}
      {tool(Download, 'gallery.downloadAll', selected.download)}
      <i class="sep" />
      {!isWhole && (
        <IconButton icon={CheckCheck} label={text('help.selectAll')} onClick={selected.selectAll} />
      )}
      <IconButton
        class="clear"
        icon={X}
        label={text('gallery.clearSelection')}
        onClick={selection.clear}
      />
    </div>
  );
}

interface LabelsButtonProps {
  readonly nothing: boolean;
  readonly refused: string | undefined;
}

/** Opens the editor of the labels. Absent if the token may not change jobs. */
function LabelsButton({ nothing, refused }: LabelsButtonProps) {
  const { usage } = usePage();
  const { isOpen, button, menu } = useMenu('dialog');
  if (!mayCreate(usage.latest.value)) return null;
  return (
    <>
      <IconButton
        {...button}
        icon={Tags}
        label={text('gallery.labels')}
        disabled={nothing}
        refused={nothing ? undefined : refused}
        onClick={refused === undefined ? button.onClick : undefined}
      />
      {isOpen && !nothing && (
        <Menu {...menu} label={text('gallery.labels')} placement="top">
          <SelectionLabels />
        </Menu>
      )}
    </>
  );
}

type Facts = ReturnType<ReturnType<typeof useGallery>['selected']['facts']>;

function toStateText({ count, isMore }: Facts, isWhole: boolean): string {
  if (count === undefined) return text('gallery.all.counting');
  if (isMore) return text('gallery.all.tooMany', { count: MAX_JOBS });
  if (isWhole) return text('gallery.all', { count });
  return count === 0 ? text('gallery.selectHint') : text('gallery.selected', { count });
}

function toCompareRefusal(isWhole: boolean, count: number): string | undefined {
  if (isWhole) return text('gallery.all.single');
  return count > 2 ? text('gallery.compare.two') : undefined;
}

function toTableRefusal(isWhole: boolean, count: number): string | undefined {
  return isWhole || count > MAX_IMAGES ? text('table.count', { count: MAX_IMAGES }) : undefined;
}

interface CountedActionProps {
  readonly icon: IconNode;
  readonly label: string;
  readonly count: number;
  /** True if the count is a lower bound. */
  readonly isMore: boolean;
  /** The reason why the action cannot be done. */
  readonly refused: string | undefined;
  readonly onPress: () => void;
}

/** Renders an action with its number. In a narrow gallery, only screen readers read its name. */
function CountedAction({ icon, label, count, isMore, refused, onPress }: CountedActionProps) {
  const number = formatNumber(count) + (isMore ? '+' : '');
  const name = count === 0 ? label : text('gallery.all.action', { action: label, count: number });
  return (
    <Button
      look="quiet"
      icon={icon}
      class="counted num"
      aria-label={name}
      title={name}
      refused={refused}
      disabled={count === 0}
      onClick={onPress}
    >
      {/* The space separates the word from the number in the visible text. */}
      <span class="word">{`${label} `}</span>
      {count > 0 && number}
    </Button>
  );
}
