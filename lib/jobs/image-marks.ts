import type { ArtifactPatch, MarkedArtifact } from '../contract/resources/artifact.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import type { JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'markImage'>;
  readonly clock: Clock;
}

export type ImageMarks = ReturnType<typeof createImageMarks>;

/** Changes the marks of single images: favourite, hidden, and a note. */
export function createImageMarks({ store, clock }: Deps) {
  return {
    /** Resolves with the image in its new state. Throws `not_found` if no ended job of the scope made the image. */
    async update(scope: string, id: string, patch: ArtifactPatch): Promise<MarkedArtifact> {
      const marked = await store.markImage(scope, id, { ...patch, atSecs: nowSecs(clock) });
      if (marked === undefined)
        throw new BridgeError('not_found', 'the image was not made by a job');
      const { artifact, jobId, position } = marked;
      return { ...artifact, job_id: jobId, image: position };
    },
  };
}
