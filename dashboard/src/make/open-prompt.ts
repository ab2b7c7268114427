import type { Router } from '../router.ts';
import { isNarrow } from '../shell/is-narrow.ts';
import { panel, togglePanel } from '../shell/preferences.ts';

/** Shows the panel for a new image if it is collapsed or a closed sheet, and moves the focus to the prompt. */
export function openPrompt(router: Router): void {
  const focus = () => document.getElementById('prompt')?.focus();
  if (isNarrow()) router.openLayer('make');
  else if (panel.peek() === 'open') focus();
  else {
    togglePanel();
    requestAnimationFrame(focus);
  }
}
