import { effect, type ReadonlySignal, untracked } from '@preact/signals';
import { del, get, keys, set } from 'idb-keyval';
import type { PresetTemplate } from '../api/schemas.ts';
import type { Caller } from '../connection/connection.ts';
import { type JsonStorage, readJson, writeJson } from '../shell/stored-json.ts';
import { type Draft, type DraftContent, randomId } from './draft.ts';

/** The storages of this browser. */
export interface BrowserStorage {
  /** Storage shared by all tabs. */
  readonly local: JsonStorage;
  /** Storage of this tab, which also contains the token and is deleted when the tab is closed. */
  readonly session: JsonStorage;
  /** Storage shared by all tabs, large enough for photographs. */
  readonly blobs: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    del(key: string): Promise<void>;
    keys(): Promise<readonly unknown[]>;
  };
}

interface Deps {
  readonly caller: ReadonlySignal<Caller | undefined>;
  readonly storage: BrowserStorage;
  /** Calls the listener when the page may be about to close. */
  readonly onPageHide: (listener: () => void) => void;
  /** Called when the draft was removed because it belongs to another caller. */
  readonly onRemoved: () => void;
  readonly nowMs: () => number;
}

/** The stored images and labels. Earlier versions stored no edge of the mask and no labels. */
type Images = Pick<DraftContent, 'attachments' | 'mask'> &
  Partial<Pick<DraftContent, 'maskEdge' | 'labels'>>;

/** The storage of one caller's draft. Holds the settings and the key under which the images are stored. */
interface Place {
  readonly imagesKey: string;
  read(): PresetTemplate;
  write(settings: PresetTemplate): void;
  remove(): void;
}

const SETTINGS = 'image-bridge.draft';
const IMAGES = 'image-bridge.draft-images';
const PAUSE_MS = 300;
/** The age at which images are removed, in milliseconds. Images of a closed tab are never shown again. */
const ORPHAN_MS = 24 * 60 * 60 * 1000;

export function browserStorage(): BrowserStorage {
  return { local: localStorage, session: sessionStorage, blobs: { get, set, del, keys } };
}

/**
 * Stores the draft in this browser, so that it survives a reload. The settings are stored in web storage, because a
 * page can write there while it is being closed. The images are stored in IndexedDB. With a token, the draft belongs to
 * this tab and this token, and is removed together with the token.
 */
export function keepDraft(draft: Draft, deps: Deps): void {
  const { caller, storage } = deps;
  let owner: Caller | undefined;
  let kept: ReturnType<typeof keepFor> | undefined;

  function leave(): void {
    if (owner === undefined) return;
    kept?.stop();
    if (owner.token !== undefined) kept?.remove();
    // A draft that was written before a token was required is kept for the user who enters the first token.
    if (owner.token === undefined && owner.isAccepted) return;
    draft.clear();
    deps.onRemoved();
  }

  function follow(next: Caller | undefined): void {
    if (next === undefined || owner === undefined || next.token !== owner.token) {
      leave();
      kept = next && keepFor(draft, next, deps);
    }
    owner = next;
    if (next?.token !== undefined && next.isAccepted) removeShared(storage);
  }

  effect(() => {
    const next = caller.value;
    untracked(() => follow(next));
  });
  void removeOrphans(deps, () => kept?.imagesKey);
}

/** Restores the draft of this caller, unless the page already has a draft. Stores the draft from then on. */
function keepFor(draft: Draft, caller: Caller, { storage, onPageHide, nowMs }: Deps) {
  const { blobs } = storage;
  const place = openPlace(caller.token, storage);
  let isOver = false;
  let stopImages = () => {};

  async function keepImages(): Promise<void> {
    const images = await blobs.get(place.imagesKey).catch(() => undefined);
    if (isOver) return;
    // An image may have been added before the storage was read.
    if (images !== undefined && draft.attachments.peek().length === 0) {
      draft.restore({ ...draft.content(), ...(images as Images) });
    }
    stopImages = effect(() => {
      const { value: attachments } = draft.attachments;
      const { value: mask } = draft.mask;
      const { value: maskEdge } = draft.maskEdge;
      const { value: labels } = draft.labels;
      // If the browser has no storage or the storage is full, the images are kept only until the page is closed.
      const images = { attachments, mask, maskEdge, labels, savedMs: nowMs() };
      blobs.set(place.imagesKey, images).catch(() => {});
    });
  }

  if (Object.keys(draft.settings.peek()).length === 0) draft.apply(place.read());
  void keepImages();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    if (!isOver) place.write(draft.settings.peek());
  };
  const stopSettings = effect(() => {
    void draft.settings.value;
    clearTimeout(timer);
    timer = setTimeout(write, PAUSE_MS);
  });
  onPageHide(write);
  return {
    imagesKey: place.imagesKey,
    stop(): void {
      isOver = true;
      clearTimeout(timer);
      stopSettings();
      stopImages();
    },
    remove(): void {
      place.remove();
      blobs.del(place.imagesKey).catch(() => {});
    },
  };
}

/** Returns the storage of a draft. Without a token, all tabs share one draft. With a token, each tab has its own. */
function openPlace(token: string | undefined, { local, session }: BrowserStorage): Place {
  if (token === undefined) {
    return {
      imagesKey: IMAGES,
      read: () => (readJson(local, SETTINGS) as PresetTemplate | undefined) ?? {},
      write: (settings) => writeJson(local, SETTINGS, settings),
      remove: () => local.removeItem(SETTINGS),
    };
  }
  const found = readJson(session, SETTINGS) as {
    token?: string;
    id?: string;
    settings?: PresetTemplate;
  };
  const isOwn = found?.token === token && typeof found.id === 'string';
  const id = isOwn ? String(found.id) : randomId();
  return {
    imagesKey: `${IMAGES}.${id}`,
    read: () => (isOwn ? (found.settings ?? {}) : {}),
    write: (settings) => writeJson(session, SETTINGS, { token, id, settings }),
    remove: () => session.removeItem(SETTINGS),
  };
}

/** Removes the draft that was stored without a token, because the bridge now requires tokens. */
function removeShared({ local, blobs }: BrowserStorage): void {
  local.removeItem(SETTINGS);
  blobs.del(IMAGES).catch(() => {});
}

async function removeOrphans(
  { storage: { blobs }, nowMs }: Deps,
  ownKey: () => string | undefined,
): Promise<void> {
  for (const key of await blobs.keys().catch(() => [])) {
    if (typeof key !== 'string' || !key.startsWith(`${IMAGES}.`) || key === ownKey()) continue;
    const { savedMs = 0 } = ((await blobs.get(key).catch(() => undefined)) ?? {}) as {
      savedMs?: number;
    };
    if (nowMs() - savedMs > ORPHAN_MS) await blobs.del(key).catch(() => {});
  }
}
