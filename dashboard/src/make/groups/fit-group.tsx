import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { Group } from './group.tsx';

const FitSettings = lazyView(async () => (await import('./fit-settings.tsx')).FitSettings);

/** What happens where the model cannot do what is asked, and where it fails. */
export function FitGroup() {
  const { policies, routing } = usePage().draft.settings.value;
  const next = routing?.fallbacks?.[0];
  const parts = [
    text(`make.fit.${policies?.compatibility ?? 'strict'}`),
    next
      ? text('make.fallback.then', { name: next.model ?? next.provider })
      : text('make.fallback.none'),
  ];
  return (
    <Group title={text('make.fit')} value={parts.join(text('list.separator'))}>
      <FitSettings />
    </Group>
  );
}
