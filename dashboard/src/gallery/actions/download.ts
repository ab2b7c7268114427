import { type Api, ApiError } from '../../api/api.ts';
import type { JobSummary } from '../../api/schemas.ts';

interface SaveFilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** The result of a download. `missing` counts the images that no longer exist. */
interface Downloaded {
  readonly saved: number;
  readonly missing: number;
}

/**
 * Saves the images of the jobs: a single image as it is, several images as a zip that is made in the browser. If the
 * browser can write to a file, the zip is streamed to it; otherwise the zip is first held in memory. Resolves with
 * `undefined` if the user chose no file. Throws ApiError if the bridge does not respond.
 */
export async function download(
  api: Api,
  list: readonly JobSummary[],
): Promise<Downloaded | undefined> {
  const images = list.flatMap((job) =>
    job.artifacts.map(({ id }, index) => ({
      path: `/v1/artifacts/${id}`,
      name: artifactName(job, index),
    })),
  );
  const [only] = images;
  if (only === undefined) return { saved: 0, missing: 0 };
  if (images.length === 1) {
    const response = await api.bytes(only.path);
    offer(await response.blob(), only.name);
    return { saved: 1, missing: 0 };
  }
  const { stream, missing } = await zipOf(api, images);
  if (!(await saveZip(stream, `image-bridge-${images.length}.zip`))) return undefined;
  return { saved: images.length - missing(), missing: missing() };
}

interface ZippedFile {
  /** A path below /v1. */
  readonly path: string;
  readonly name: string;
}

/** Returns a zip of images, which are read one after the other. Missing images are left out and counted. */
export async function zipOf(api: Api, files: readonly ZippedFile[]) {
  const { makeZip } = await import('client-zip');
  let missing = 0;
  const stream = makeZip(
    readImages(api, files, () => {
      missing += 1;
    }),
  );
  return { stream, missing: () => missing };
}

async function* readImages(api: Api, files: readonly ZippedFile[], onMissing: () => void) {
  for (const { path, name } of files) {
    try {
      yield { name, input: await api.bytes(path) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'unreachable') throw error;
      onMissing();
    }
  }
}

/** Resolves with true if the zip was saved, and with false if the user closed the dialog. */
export async function saveZip(zip: ReadableStream<Uint8Array>, name: string): Promise<boolean> {
  const { showSaveFilePicker } = window as SaveFilePicker;
  if (showSaveFilePicker === undefined) {
    offer(await new Response(zip, { headers: { 'content-type': 'application/zip' } }).blob(), name);
    return true;
  }
  let file: FileSystemFileHandle;
  try {
    file = await showSaveFilePicker.call(window, { suggestedName: name });
  } catch (error) {
    await zip.cancel();
    if (error instanceof DOMException && error.name === 'AbortError') return false;
    throw error;
  }
  await zip.pipeTo(await file.createWritable());
  return true;
}

/** Offers a blob for download, like a link with the attribute `download`. */
export function offer(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the object after this task. One minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const WORDS = 6;

/**
 * Returns the file name of an image of a job: the first words of the prompt, the end of the job id, and the number of
 * the image.
 */
export function artifactName(job: JobSummary, index: number): string {
  const words = job.prompt
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  const subject = (words ?? []).slice(0, WORDS).join('-').slice(0, 60) || 'image';
  const number = job.artifacts.length > 1 ? `-${index + 1}` : '';
  const extension = job.artifacts[index]?.format === 'jpeg' ? 'jpg' : job.artifacts[index]?.format;
  return `${subject}-${job.id.slice(-6)}${number}.${extension ?? 'png'}`;
}
