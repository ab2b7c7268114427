import type { Page } from '../page.ts';
import { text } from '../text/text.ts';

/**
 * Returns a function that restores the present draft. A newer draft that is replaced then comes back by Undo, because it may have been
 * written long after the present draft was kept.
 */
export function keepDraft({ draft, undo }: Pick<Page, 'draft' | 'undo'>): () => void {
  const restore = draft.snapshot();
  const [settings, attachments] = [draft.settings.peek(), draft.attachments.peek()];
  return () => {
    const [newer, images] = [draft.settings.peek(), draft.attachments.peek()];
    const isEmpty = !newer.prompt && images.length === 0;
    const replaced = keepDraft({ draft, undo });
    restore();
    if (isEmpty || (newer === settings && images === attachments)) return;
    undo.offer(text('gallery.draftReplaced'), replaced);
  };
}
