import type { Api } from '../../api/api.ts';
import { offer, saveZip, zipOf } from '../../gallery/actions/download.ts';
import type { JobImage } from '../state/job-images.ts';

/** Saves one image under the name that it has on the bridge. Throws ApiError. */
export async function saveImage(api: Api, { path, name, ref }: JobImage): Promise<void> {
  const response = await api.bytes(path);
  offer(await response.blob(), baseName(name ?? ref));
}

/** Saves images as one zip. Resolves with the number of missing images. Throws ApiError when the bridge is unreachable. */
export async function saveImages(
  api: Api,
  images: readonly JobImage[],
  zipName: string,
): Promise<number> {
  const files = images.map(({ path, name, ref }) => ({ path, name: baseName(name ?? ref) }));
  const zip = await zipOf(api, files);
  await saveZip(zip.stream, zipName);
  return zip.missing();
}

/** The last part of a name below the artifact root. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
