import { describe, expect, it } from 'vitest';
import { createDraft } from '../../../dashboard/src/make/draft.ts';
import { keepDraft } from '../../../dashboard/src/make/keep-draft.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';
import { createUndo } from '../../../dashboard/src/shell/undo.ts';

describe('keepDraft', () => {
  it('restores a draft, and the newer draft that it replaced comes back by Undo', () => {
    const draft = createDraft();
    const toasts = createToasts();
    const undo = createUndo(toasts);
    draft.change({ prompt: 'old' });
    const restore = keepDraft({ draft, undo });
    draft.change({ prompt: 'new' });

    restore();
    expect(draft.settings.value.prompt).toBe('old');
    undo.undo();

    expect(draft.settings.value.prompt).toBe('new');
  });

  it('says nothing about an empty draft that it replaced', () => {
    const draft = createDraft();
    const toasts = createToasts();
    draft.change({ prompt: 'old' });
    const restore = keepDraft({ draft, undo: createUndo(toasts) });
    draft.clear();

    restore();

    expect(draft.settings.value.prompt).toBe('old');
    expect(toasts.list.value).toEqual([]);
  });
});
