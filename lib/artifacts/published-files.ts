import type { PublishedFile } from './artifact-files-port.ts';
import type { ArtifactRecord } from './artifact-store-port.ts';

/** The image's file of an artifact. */
export function imageFile({ id, name, bytes, sha256 }: ArtifactRecord): PublishedFile {
  return { id, name, bytes, sha256 };
}

/** The file beside it; undefined where there is none. Staged beside the image, so under an id of its own. */
export function sidecarFile({ id, sidecar }: ArtifactRecord): PublishedFile | undefined {
  return sidecar && { id: `${id}.json`, ...sidecar };
}

/** Every file of an artifact. */
export function publishedFiles(record: ArtifactRecord): readonly PublishedFile[] {
  const sidecar = sidecarFile(record);
  return sidecar === undefined ? [imageFile(record)] : [imageFile(record), sidecar];
}
