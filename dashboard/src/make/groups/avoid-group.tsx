import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { Group } from './group.tsx';

const AvoidSettings = lazyView(async () => (await import('./avoid-settings.tsx')).AvoidSettings);

/** What the image should not have. */
export function AvoidGroup() {
  const avoid = usePage().draft.settings.value.negative_prompt;
  return (
    <Group title={text('make.avoid')} value={avoid || text('make.avoid.nothing')}>
      <AvoidSettings />
    </Group>
  );
}
