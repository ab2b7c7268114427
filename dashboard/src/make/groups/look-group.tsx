import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { Group } from './group.tsx';

const LookSettings = lazyView(async () => (await import('./look-settings.tsx')).LookSettings);

/** How the image looks. */
export function LookGroup() {
  const { quality, background } = usePage().draft.settings.value.parameters ?? {};
  const parts = [text(`make.quality.${quality ?? 'auto'}`)];
  if (background && background !== 'auto') parts.push(text(`make.background.${background}.short`));
  return (
    <Group title={text('make.look')} value={parts.join(text('list.separator'))}>
      <LookSettings />
    </Group>
  );
}
