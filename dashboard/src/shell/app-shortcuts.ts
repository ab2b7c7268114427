import { usePage } from '../page-context.ts';
import { useShortcuts } from './shortcuts.ts';

/** The keys that work in every view. */
export function useAppShortcuts(): void {
  const { router, help, undo } = usePage();
  useShortcuts({
    'g i': () => router.navigate(''),
    'g s': () => router.navigate('/system'),
    'Shift+?': () => help.open('shortcuts'),
    z: () => undo.undo(),
  });
}
