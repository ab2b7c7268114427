import type { ArtifactRecord } from '../artifacts/artifact-store-port.ts';
import { type InputSet, type InputSource, toList } from '../inputs/input-source.ts';
import type { JobParent, JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'listImages'>;
  readonly artifacts: {
    /** Resolves with a published artifact of this scope, or undefined if the scope has no such artifact. */
    find(scope: string, id: string): Promise<ArtifactRecord | undefined>;
  };
}

export type FindParents = ReturnType<typeof createFindParents>;

/** Creates the function that finds the origins of the images of a request. */
export function createFindParents({ store, artifacts }: Deps) {
  /** Resolves with the images that are artifacts. An artifact that was removed in the meantime is omitted. */
  return async function findParents(
    scope: string,
    inputs: InputSet<InputSource>,
  ): Promise<readonly JobParent[]> {
    const sent = toList(inputs).flatMap((source, input) =>
      source.kind === 'artifact' ? [{ input, artifactId: source.artifactId }] : [],
    );
    if (sent.length === 0) return [];
    const images = await store.listImages(
      scope,
      sent.map(({ artifactId }) => artifactId),
    );
    const imageOf = new Map(images.map((image) => [image.artifactId, image]));
    const parents: JobParent[] = [];
    for (const { input, artifactId } of sent) {
      const record = await artifacts.find(scope, artifactId);
      if (!record) continue;
      const { name, width, height, createdSecs } = record;
      const facts = { input, artifactId, name, width, height, createdSecs };
      parents.push({ ...facts, ...imageOf.get(artifactId) });
    }
    return parents;
  };
}
