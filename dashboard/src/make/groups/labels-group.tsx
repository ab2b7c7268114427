import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { Group } from './group.tsx';

const LabelsSettings = lazyView(async () => (await import('./labels-settings.tsx')).LabelsSettings);

/** Pairs of one's own that are kept with the job and its record, and sent nowhere. */
export function LabelsGroup() {
  const names = Object.keys(usePage().draft.settings.value.metadata ?? {});
  const value = names.length === 0 ? text('make.labels.none') : names.join(text('list.separator'));
  return (
    <Group title={text('make.labels')} value={value}>
      <LabelsSettings />
    </Group>
  );
}
