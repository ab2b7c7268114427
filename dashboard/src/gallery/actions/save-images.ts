import { type Api, ApiError } from '../../api/api.ts';
import type { SavedFile } from './image-files.ts';

interface SaveFilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** The most bytes of images in one zip that the page keeps in memory. */
const PART_BYTES = 500_000_000;

/**
 * Saves a single image unchanged, or several images as a zip file. The zip file is streamed to disk if the browser allows
 * it, otherwise it is downloaded in parts that fit into memory. Resolves with the number of missing images. Throws
 * ApiError if the bridge does not respond or a single image is missing.
 */
export async function saveImages(
  api: Api,
  files: readonly SavedFile[],
  zipName: string,
): Promise<number> {
  const [only] = files;
  if (only !== undefined && files.length === 1) {
    const response = await api.bytes(only.path);
    offer(await response.blob(), only.name);
    return 0;
  }
  const target = await chooseFile(zipName);
  if (target === 'cancelled') return 0;
  const { makeZip } = await import('client-zip');
  let missing = 0;
  const toZip = (part: readonly SavedFile[]) =>
    makeZip(
      readImages(api, part, () => {
        missing += 1;
      }),
    );
  if (target !== undefined) {
    await toZip(files).pipeTo(await target.createWritable());
    return missing;
  }
  const parts = inParts(files, PART_BYTES);
  for (const [index, part] of parts.entries()) {
    const headers = { 'content-type': 'application/zip' };
    const blob = await new Response(toZip(part), { headers }).blob();
    offer(blob, parts.length === 1 ? zipName : zipName.replace(/(?=\.zip$)/, `-${index + 1}`));
  }
  return missing;
}

/** Divides files into parts of at most `most` bytes, in order. A larger file is a part of its own. */
export function inParts<T extends { readonly bytes: number }>(
  files: readonly T[],
  most: number,
): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let left = 0;
  for (const file of files) {
    const part = parts.at(-1);
    if (part === undefined || file.bytes > left) {
      parts.push([file]);
      left = most - file.bytes;
    } else {
      part.push(file);
      left -= file.bytes;
    }
  }
  return parts;
}

async function* readImages(api: Api, files: readonly SavedFile[], onMissing: () => void) {
  for (const { path, name } of files) {
    try {
      yield { name, input: await api.bytes(path) };
    } catch (error) {
      if (!isMissing(error)) throw error;
      onMissing();
    }
  }
}

/** Returns true if the bridge has replied that it cannot deliver an image. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 'unreachable';
}

/** Asks the user for a file. Resolves with undefined if the browser has no save dialog or does not allow it. */
async function chooseFile(name: string): Promise<FileSystemFileHandle | 'cancelled' | undefined> {
  const { showSaveFilePicker } = window as SaveFilePicker;
  try {
    return await showSaveFilePicker?.call(window, { suggestedName: name });
  } catch (error) {
    const isCancelled = error instanceof DOMException && error.name === 'AbortError';
    return isCancelled ? 'cancelled' : undefined;
  }
}

/** Downloads a blob, as if the user had followed a link with the attribute `download`. */
export function offer(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob after this task has ended, and needs the URL until then. One minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
