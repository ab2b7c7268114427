import { type Api, ApiError } from '../../api/api.ts';
import type { JobSummary } from '../../api/schemas.ts';

interface SaveFilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

interface SavedFile {
  /** A path below /v1. */
  readonly path: string;
  readonly name: string;
}

/**
 * Saves a single image unchanged, or several images as a zip file, which is streamed to disk if the browser supports
 * it. Resolves with the number of missing images. Throws ApiError if the bridge does not respond or a single image is
 * missing.
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
  const { makeZip } = await import('client-zip');
  let missing = 0;
  const zip = makeZip(
    readImages(api, files, () => {
      missing += 1;
    }),
  );
  return (await saveZip(zip, zipName)) ? missing : 0;
}

async function* readImages(api: Api, files: readonly SavedFile[], onMissing: () => void) {
  for (const { path, name } of files) {
    try {
      yield { name, input: await api.bytes(path) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'unreachable') throw error;
      onMissing();
    }
  }
}

/** Resolves with true if the zip was saved, and with false if the user cancelled the save dialog. */
async function saveZip(zip: ReadableStream<Uint8Array>, name: string): Promise<boolean> {
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

/** Downloads a blob, as if the user had followed a link with the attribute `download`. */
function offer(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob after this task has ended, and needs the URL until then. One minute is more than enough.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

const WORDS = 6;

/** Returns the images of jobs, each with the file name for saving. */
export function filesOf(jobs: readonly JobSummary[]): readonly SavedFile[] {
  return jobs.flatMap((job) =>
    job.artifacts.map(({ id }, index) => ({
      path: `/v1/artifacts/${id}`,
      name: artifactName(job, index),
    })),
  );
}

/** Returns a file name: the first words of the prompt, the end of the job id, and the number of the image. */
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
