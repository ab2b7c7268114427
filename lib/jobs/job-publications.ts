import type { GenerationContext, GenerationResult } from '../generation/pipeline.ts';
import type { JobRecord } from './job-store-port.ts';

type Publication = GenerationResult['publications'][number];

interface Deps {
  readonly publisher: { discard(publications: readonly Publication[]): Promise<void> };
}

/** What the run of one job has published, before its end gives it an owner. */
export interface JobPublications {
  /** For the context of the run. */
  readonly outputs: NonNullable<GenerationContext['outputs']>;
  add(publications: readonly Publication[]): void;
  /** The ids of the artifacts that the end of the job shall keep. */
  ids(): readonly string[];
  /** Keeps none of them any more, because the store does not know them as publications of this job. */
  refuse(): void;
  /** Removes the files of all of them. What cannot be removed now is removed at the next start. */
  discard(): Promise<void>;
}

/** Keeps in mind what a job has published. */
export function trackPublications(
  { publisher }: Deps,
  { sequence }: Pick<JobRecord, 'sequence'>,
): JobPublications {
  const published = new Map<string, Publication>();
  let isRefused = false;

  function add(publications: readonly Publication[]): void {
    for (const publication of publications) published.set(publication.record.id, publication);
  }

  return {
    outputs: { job: sequence, onPublished: (publication) => add([publication]) },
    add,
    ids: () => (isRefused ? [] : [...published.keys()]),
    refuse() {
      isRefused = true;
    },
    async discard() {
      if (published.size > 0) await publisher.discard([...published.values()]).catch(() => {});
    },
  };
}
