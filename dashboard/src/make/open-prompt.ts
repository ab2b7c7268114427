import type { Router } from '../router.ts';
import { isNarrow } from '../shell/is-narrow.ts';
import { panel, togglePanel } from '../shell/preferences.ts';

/**
 * Shows the panel for a new image if it is collapsed or a closed sheet, and moves the focus to the prompt. With `isReplaced`, selects
 * the prompt beside the images, so that typing replaces it.
 */
export function openPrompt(router: Router, isReplaced = false): void {
  const focus = () => {
    const prompt = document.querySelector<HTMLTextAreaElement>('#prompt');
    prompt?.focus();
    if (isReplaced) prompt?.select();
  };
  if (isNarrow()) {
    router.openLayer('make');
    // The sheet focuses the prompt when it is open.
    if (isReplaced) requestAnimationFrame(focus);
  } else if (panel.peek() === 'open') focus();
  else {
    togglePanel();
    requestAnimationFrame(focus);
  }
}
