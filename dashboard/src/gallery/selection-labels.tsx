import { useEffect, useRef } from 'preact/hooks';
import { useKnownLabels } from '../labels/known-labels.ts';
import { LabelEditor } from '../labels/label-editor.tsx';
import { usePage } from '../page-context.ts';
import { formatNumber, text } from '../text/text.ts';
import { useGallery } from './state/use-gallery.ts';
import './selection-labels.css';

/** Edits the labels of the selected jobs: of the selected cards, or of all jobs under a filter. */
export function SelectionLabels() {
  const box = useRef<HTMLDivElement>(null);
  // The menu moved the focus before this code was loaded.
  useEffect(() => {
    const inputs = box.current?.querySelectorAll('input');
    inputs?.item(inputs.length - 1)?.focus();
  }, []);
  const { state, selected } = useGallery();
  const { labels, shared } = useSelectedLabels();
  return (
    <div ref={box} class="selection-labels">
      <p class="menu-head">{text('gallery.labels.of', { count: selected.facts().count ?? 0 })}</p>
      <LabelEditor
        key={state.selection.whole.value === undefined ? 'cards' : 'list'}
        labels={labels}
        taken={shared}
        onAdd={(label) => selected.setLabels({ add: [label] }, 'labels.added')}
        onRemove={(label) => selected.setLabels({ remove: [label] }, 'labels.removed')}
        onRename={selected.renameLabel}
      />
    </div>
  );
}

/** Returns the labels that may be removed, with their numbers, and the labels that every selected job is known to have. */
function useSelectedLabels() {
  const { jobs } = usePage();
  const { selection } = useGallery().state;
  const { value: list } = selection.whole;
  // The labels are counted again after each change.
  const known = useKnownLabels(list) ?? [];
  if (list !== undefined) {
    // A filter has one label, so that the jobs with another label cannot be named.
    const { label: chosen } = list.filter;
    const isFixed = (label: string) => chosen !== undefined && chosen !== label;
    return {
      labels: known.map(({ label }) => ({ label, isFixed: isFixed(label) })),
      shared: [],
    };
  }
  const { value: ids } = selection.ids;
  const counts = new Map<string, number>();
  for (const id of ids) {
    for (const label of jobs.watch(id)?.labels ?? []) {
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }
  const all = [...counts];
  return {
    labels: all.map(([label, count]) => ({
      label,
      ...(count < ids.size && {
        share: text('gallery.labels.share', { count, all: formatNumber(ids.size) }),
      }),
    })),
    shared: all.filter(([, count]) => count === ids.size).map(([label]) => label),
  };
}
