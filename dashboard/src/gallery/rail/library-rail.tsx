import { CircleAlert, EyeOff, Heart, type IconNode, Images, Plus, Tag } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Icon } from '../../controls/button.tsx';
import { Link } from '../../controls/link.tsx';
import { openPrompt } from '../../make/open-prompt.ts';
import { usePage } from '../../page-context.ts';
import { formatNumber, text } from '../../text/text.ts';
import { readFilter } from '../state/filter-address.ts';
import type { ViewName } from '../state/view-counts.ts';
import { formatTotal } from '../tools/found-count.tsx';
import './library-rail.css';

const VIEWS: readonly (readonly [name: ViewName, icon: IconNode, query: string])[] = [
  ['all', Images, ''],
  ['favourites', Heart, '?show=favourites'],
  ['failed', CircleAlert, '?status=failed'],
  ['hidden', EyeOff, '?show=hidden'],
];

/** The number of labels that are shown at first. */
const FEW_LABELS = 8;

/** Shows the common views and the labels with their counts, in the place of the collapsed panel. */
export function LibraryRail() {
  const { router, openGallery } = usePage();
  const { counts } = openGallery();
  useEffect(counts.need, [counts]);
  const [isWhole, showAll] = useState(false);
  const { value: views } = counts.views;
  const { value: labels } = counts.labels;
  const { show, status, label, ...rest } = readFilter(router.query.value);
  const isPlain = Object.values(rest).every((part) => part === undefined || part === '');
  const view = show === 'all' ? (status === 'failed' ? 'failed' : 'all') : show;
  const current = (isCurrent: boolean) => (isCurrent ? 'page' : undefined);
  const shown = isWhole ? labels : labels.slice(0, FEW_LABELS);
  return (
    <nav class="library-rail scroll" aria-label={text('library')}>
      <Button look="primary" icon={Plus} class="new-image" onClick={() => openPrompt(router)}>
        <span>{text('library.new')}</span>
        <kbd>P</kbd>
      </Button>
      {VIEWS.map(([name, icon, query]) => {
        const total = views[name];
        const isCurrent = isPlain && label === undefined && view === name;
        return (
          <Link key={name} to={query} class="pickable" aria-current={current(isCurrent)}>
            <Icon of={icon} />
            <span class="grow cut">{text(`gallery.show.${name}`)}</span>
            <small class="num">{total && formatTotal(total)}</small>
          </Link>
        );
      })}
      {labels.length > 0 && <h2>{text('library.labels')}</h2>}
      {shown.map(({ label: name, count }) => (
        <Link
          key={name}
          to={`?label=${encodeURIComponent(name)}`}
          class="pickable"
          aria-current={current(label === name)}
        >
          <Icon of={Tag} />
          <span class="grow cut">{name}</span>
          <small class="num">{formatNumber(count)}</small>
        </Link>
      ))}
      {shown.length < labels.length && (
        <button type="button" class="pickable soft" onClick={() => showAll(true)}>
          {text('library.more', { count: labels.length - shown.length })}
        </button>
      )}
    </nav>
  );
}
