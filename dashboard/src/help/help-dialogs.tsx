import { usePage } from '../page-context.ts';
import { RealModelDialog } from './real-model-dialog.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';

/** The dialog that explains, when one is open. */
export function HelpDialogs() {
  const { help } = usePage();
  const topic = help.topic.value;
  if (topic === 'shortcuts') return <ShortcutsDialog onClose={help.close} />;
  if (topic === 'realModel') return <RealModelDialog onClose={help.close} />;
  return null;
}
