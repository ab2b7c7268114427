import type { Page } from 'playwright-core';

interface KeptImages {
  /** The names of the attached images. */
  readonly names: readonly string[];
  readonly mask: Buffer | undefined;
  /** The pixels by which the edge of the mask grows. */
  readonly grow: number | undefined;
  /** True if the first image has a canvas. */
  readonly hasCanvas: boolean;
}

/** The parts of a stored draft that tests look at. */
interface StoredDraft {
  readonly attachments: readonly { readonly name: string; readonly canvas?: object }[];
  readonly mask?: Blob;
  readonly maskEdge?: { readonly grow: number };
}

/** Returns the images of the draft as the page has stored them. The page stores a change a moment later. */
export async function keptImages(page: Page): Promise<KeptImages> {
  const { mask, ...rest } = await page.evaluate(async () => {
    const result = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await result(indexedDB.open('keyval-store'));
    const store = database.transaction('keyval').objectStore('keyval');
    // With a token, the key ends in an id of the draft.
    const keys = (await result(store.getAllKeys())) as string[];
    const key = keys.find((each) => each.startsWith('image-bridge.draft-images')) ?? '';
    const kept: StoredDraft | undefined = await result(store.get(key));
    database.close();
    const url = await new Promise<string | undefined>((resolve) => {
      if (kept?.mask === undefined) return resolve(undefined);
      const reader = new FileReader();
      reader.onload = () => resolve(String(reader.result));
      reader.readAsDataURL(kept.mask);
    });
    const { attachments = [], maskEdge } = kept ?? {};
    return {
      names: attachments.map(({ name }) => name),
      mask: url,
      grow: maskEdge?.grow,
      hasCanvas: attachments[0]?.canvas !== undefined,
    };
  });
  const base64 = mask?.slice(mask.indexOf(',') + 1);
  return { ...rest, mask: base64 === undefined ? undefined : Buffer.from(base64, 'base64') };
}
