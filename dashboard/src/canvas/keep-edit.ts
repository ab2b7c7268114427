import { effect } from '@preact/signals';
import { type Draft, firstSource } from '../make/draft.ts';
import { isWhole } from './canvas-area.ts';
import type { Edit } from './edit.ts';
import { writeMask } from './mask-image.ts';

/** The time without changes after which an edit is stored in the draft, in milliseconds. */
const PAUSE_MS = 400;

export type KeptEdit = ReturnType<typeof keepEdit>;

/**
 * Stores an edit in the draft after each pause, so that leaving the edit loses nothing. `key` is the key of the edited image. An image
 * that is no longer the first source is not changed.
 */
export function keepEdit(edit: Edit, key: string, draft: Draft, onFailure: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPainted = false;
  let isChanged = false;
  let writing = Promise.resolve();
  let version = 0;

  const isCurrent = () => firstSource(draft.attachments.peek())?.key === key;

  function schedule(): void {
    isChanged = true;
    clearTimeout(timer);
    // The end of a stroke is reported, too. Encoding a large mask would delay the stroke.
    if (!edit.strokes.isOpen()) timer = setTimeout(save, PAUSE_MS);
  }

  async function write(own: number): Promise<void> {
    const { plane, source } = edit;
    try {
      const mask = plane.share() > 0 ? await writeMask(plane, source) : undefined;
      // A later version of the mask is being written.
      if (own === version && isCurrent()) draft.setMask(mask);
    } catch {
      onFailure();
    }
  }

  /** Stores the settings at once. Resolves when the mask is stored. */
  function save(): Promise<void> {
    clearTimeout(timer);
    if (!isChanged || !isCurrent()) return writing;
    isChanged = false;
    const { area, feather, grow } = edit.settings.peek();
    draft.setCanvas(key, isWhole(area, edit.source) ? undefined : area);
    draft.setMaskEdge({ feather, grow });
    if (isPainted) {
      isPainted = false;
      version += 1;
      writing = write(version);
      draft.announceMask(writing);
    }
    return writing;
  }

  const stopPainting = edit.subscribe(() => {
    isPainted = true;
    schedule();
  });
  let isFirst = true;
  const stopSettings = effect(() => {
    void edit.settings.value;
    if (!isFirst) schedule();
    isFirst = false;
  });
  return {
    save,
    /** Stores the last changes and stops. */
    close(): void {
      stopPainting();
      stopSettings();
      void save();
    },
  };
}
