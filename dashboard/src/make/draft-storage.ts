import { effect } from '@preact/signals';
import { get, set } from 'idb-keyval';
import type { PresetTemplate } from '../api/schemas.ts';
import type { Draft, DraftContent } from './draft.ts';

const SETTINGS = 'image-bridge.draft';
const IMAGES = 'image-bridge.draft-images';
const PAUSE_MS = 300;

type Images = Pick<DraftContent, 'attachments' | 'mask'>;

/**
 * Keeps the draft in this browser, so that it survives a reload: the settings in localStorage, which a page that is being
 * closed can still write; the images in IndexedDB, as soon as they are added.
 */
export function keepDraft(draft: Draft): void {
  draft.restore({ ...draft.content(), settings: readSettings() });
  void restoreImages(draft).then(() =>
    effect(() => {
      const images: Images = { attachments: draft.attachments.value, mask: draft.mask.value };
      // A browser without storage, or a full one: the images live as long as the page.
      set(IMAGES, images).catch(() => {});
    }),
  );
  let timer: number | undefined;
  const write = () => writeSettings(draft.settings.peek());
  effect(() => {
    void draft.settings.value;
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE_MS);
  });
  window.addEventListener('pagehide', write);
}

async function restoreImages(draft: Draft): Promise<void> {
  const images = await get<Images>(IMAGES).catch(() => undefined);
  // An image may have been added before the storage was read.
  if (images === undefined || draft.attachments.peek().length > 0) return;
  draft.restore({ ...draft.content(), ...images });
}

/** What another version of the page has written may not be readable. */
function readSettings(): PresetTemplate {
  try {
    return JSON.parse(localStorage.getItem(SETTINGS) ?? '{}') as PresetTemplate;
  } catch {
    return {};
  }
}

function writeSettings(settings: PresetTemplate): void {
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(settings));
  } catch {
    // As above: storage is full or forbidden.
  }
}
