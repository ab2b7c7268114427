import type { GenerationResult } from '../generation/generation-result.ts';
import type { GenerationContext } from '../generation/pipeline.ts';
import type { JobRecord, JobStore } from './job-store-port.ts';

interface Deps {
  readonly store: Pick<JobStore, 'addOutput'>;
  readonly publisher: { discard(publications: GenerationResult['publications']): Promise<void> };
}

/** What the run of one job publishes, before its end gives it an owner. */
export interface JobPublications extends Required<Pick<GenerationContext, 'onPublished'>> {
  add(publications: GenerationResult['publications']): void;
  /** Removes all of it. What cannot be removed now is removed at the next start. */
  discard(): Promise<void>;
}

/** Keeps in mind what a job has published, and has it noted for the case that the job is interrupted. */
export function trackPublications(
  { store, publisher }: Deps,
  { sequence }: Pick<JobRecord, 'sequence'>,
): JobPublications {
  const published = new Set<GenerationResult['publications'][number]>();
  return {
    add(publications) {
      for (const publication of publications) published.add(publication);
    },
    async onPublished({ image, publication }) {
      published.add(publication);
      // Without its note an image is lost only if the job is interrupted.
      if (image.type === 'artifact') await store.addOutput(sequence, image).catch(() => {});
    },
    async discard() {
      if (published.size > 0) await publisher.discard([...published]).catch(() => {});
    },
  };
}
