import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { JobSummary } from '../../api/schemas.ts';

interface SaveFilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** What was not there any more. */
interface Downloaded {
  readonly saved: number;
  readonly missing: number;
}

/**
 * Saves the images of the jobs: a single one as it is, several in a zip that is made here. Where the browser lets a page
 * write a file, the zip goes there while it is read; elsewhere it is held in memory first. Resolves with `undefined` when the
 * person chose no file. Throws ApiError when the bridge does not answer.
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
  /** Below /v1. */
  readonly path: string;
  readonly name: string;
}

/** A zip of images, which are read one after the other; missing ones are left out and counted. */
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

/** Whether it was saved: nothing is when the person closes the dialog. */
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

/** As a link with `download` does when it is pressed. */
export function offer(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the object after this task: a minute is more than it needs.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const WORDS = 6;

/** The file name of one of a job's images: the first words of its prompt, the end of its id, its number. */
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
