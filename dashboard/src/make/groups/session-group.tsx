import { usePage } from '../../page-context.ts';
import { lazyView } from '../../shell/lazy-view.tsx';
import { text } from '../../text/text.ts';
import { Group } from './group.tsx';
import { sessionModes } from './session-modes.ts';

const SessionSettings = lazyView(
  async () => (await import('./session-settings.tsx')).SessionSettings,
);

/** Whether the model remembers what was made before; only for providers that can. */
export function SessionGroup() {
  const { draft, chosen } = usePage();
  const current = draft.settings.value.session?.mode ?? 'isolated';
  const modes = sessionModes(chosen.value?.capabilities);
  if (modes.length === 1 && current === 'isolated') return null;
  return (
    <Group title={text('make.session')} value={text(`make.session.${current}`)}>
      <SessionSettings />
    </Group>
  );
}
