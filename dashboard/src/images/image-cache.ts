import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Api, ApiError } from '../api/api.ts';
import type { Connection } from '../connection/connection.ts';

/** The state of an image below /v1. A ready image has an object URL that an `<img>` can show. */
export type LoadedImage =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly url: string; readonly blob: Blob }
  | { readonly state: 'failed'; readonly error: ApiError };

/** The state of all images that are loading, so that a component which already shows this state is not rendered again. */
export const LOADING: LoadedImage = { state: 'loading' };

interface Entry {
  readonly path: string;
  readonly image: Signal<LoadedImage>;
  users: number;
  controller: AbortController;
}

/**
 * Loads images with the bearer token and provides them as object URLs, so that no image address contains the token. An
 * image is kept while a component shows it, and later by the HTTP cache of the browser. Failed images are loaded again
 * when the bridge is reachable again.
 */
export function createImageCache(api: Api, connection: Connection) {
  const entries = new Map<string, Entry>();
  effect(() => {
    void connection.returns.value;
    for (const entry of entries.values()) {
      if (entry.image.peek().state === 'failed') void load(entry);
    }
  });

  async function load(entry: Entry): Promise<void> {
    const { signal } = entry.controller;
    entry.image.value = LOADING;
    try {
      // The cards of a search must not wait for the images of the cards before, because a browser opens few connections.
      const response = await api.bytes(entry.path, { signal, priority: 'low' });
      const blob = await response.blob();
      // 204: no image exists yet.
      if (signal.aborted || response.status === 204) return;
      entry.image.value = { state: 'ready', url: URL.createObjectURL(blob), blob };
    } catch (error) {
      if (signal.aborted) return;
      entry.image.value = { state: 'failed', error: ApiError.of(error) };
    }
  }

  return {
    /** Starts to load an image, or shares an image that is in use. Each call needs one call of `release`. */
    acquire(path: string): ReadonlySignal<LoadedImage> {
      let entry = entries.get(path);
      if (entry === undefined) {
        const image = signal(LOADING);
        entry = { path, image, users: 0, controller: new AbortController() };
        entries.set(path, entry);
        void load(entry);
      }
      entry.users += 1;
      return entry.image;
    },

    release(path: string): void {
      const entry = entries.get(path);
      if (entry === undefined) return;
      entry.users -= 1;
      if (entry.users > 0) return;
      entries.delete(path);
      entry.controller.abort();
      const image = entry.image.peek();
      if (image.state === 'ready') URL.revokeObjectURL(image.url);
    },
  };
}

const EDGES = [256, 512, 1024, 2048] as const;

/** Returns the path of a thumbnail that is sharp on this screen in a box of the given size in CSS pixels. */
export function thumbnailPath(
  artifactId: string,
  width: number,
  height: number,
  density: number,
): string {
  const pixels = Math.max(width, height) * density;
  const edge = EDGES.find((each) => each >= pixels) ?? 2048;
  return `/v1/artifacts/${artifactId}/thumbnail?edge=${edge}`;
}
