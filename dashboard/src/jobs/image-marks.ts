import type { Job, JobArtifact, JobSummary } from '../api/schemas.ts';

/** The marks of one image. */
export type ImageMarks = Pick<JobArtifact, 'favorite' | 'hidden' | 'note'>;

/** The marks that are either set or not. */
export type SwitchedMarks = Pick<ImageMarks, 'favorite' | 'hidden'>;

/** Returns the images of a job that are not hidden. A job whose images are all hidden is hidden itself and shows all of them. */
export function shownArtifacts({ artifacts }: Pick<JobSummary, 'artifacts'>) {
  const shown = artifacts.filter(({ hidden }) => !hidden);
  return shown.length === 0 ? artifacts : shown;
}

/** Returns the marks of one image of a job. */
export function marksOf({ marks }: Pick<Job, 'marks'>, artifactId: string): ImageMarks {
  const { artifact_id: _, ...found } = marks?.find((each) => each.artifact_id === artifactId) ?? {
    artifact_id: artifactId,
  };
  return found;
}

/** Returns the marks in the images of a summary, in the form of a job. */
export function toMarks({ artifacts }: Pick<JobSummary, 'artifacts'>): NonNullable<Job['marks']> {
  return artifacts.flatMap(({ id, favorite, hidden, note }) =>
    favorite || hidden || note !== undefined
      ? [
          {
            artifact_id: id,
            ...(favorite && { favorite }),
            ...(hidden && { hidden }),
            ...(note !== undefined && { note }),
          },
        ]
      : [],
  );
}
