import { usePage } from '../page-context.ts';
import { lazyView } from '../shell/lazy-view.tsx';

const ShortcutsDialog = lazyView(async () => (await import('./dialogs.tsx')).ShortcutsDialog);
const RealModelDialog = lazyView(async () => (await import('./dialogs.tsx')).RealModelDialog);

/** Renders the open help dialog, if any. */
export function HelpDialogs() {
  const { help } = usePage();
  const topic = help.topic.value;
  if (topic === 'shortcuts') return <ShortcutsDialog onClose={help.close} />;
  if (topic === 'realModel') return <RealModelDialog onClose={help.close} />;
  return null;
}
