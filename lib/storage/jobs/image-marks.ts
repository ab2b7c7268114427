import type { ArtifactPatch, JobArtifact } from '../../contract/resources/artifact.ts';

/** The marks of a job and the marks of its images. */
export interface JobMarks {
  /** True if the job is a favourite, on its own or because of an image. */
  readonly favorite: boolean;
  /** True if the job was made a favourite itself. */
  readonly ownFavorite: boolean;
  /** The time when the job was hidden. */
  readonly deletedSecs: number | null;
  readonly artifacts: readonly JobArtifact[];
}

/**
 * Returns the marks after a change of one image. A favourite image makes its job a favourite, so that retention keeps both; without
 * a favourite image, the job keeps only its own mark. A job is hidden when all its images are hidden, and shown when one of them is shown.
 * Returns the same object if nothing changes.
 */
export function changeMarks(
  marks: JobMarks,
  artifactId: string,
  { atSecs, ...change }: ArtifactPatch & { readonly atSecs: number },
): JobMarks {
  const before = marks.artifacts.find(({ id }) => id === artifactId);
  if (before === undefined) return marks;
  const after = withMarks(before, change);
  if (JSON.stringify(after) === JSON.stringify(before)) return marks;
  const artifacts = marks.artifacts.map((each) => (each === before ? after : each));
  // A program of an earlier version may have removed the favourite without its own mark.
  const ownFavorite = marks.ownFavorite && marks.favorite;
  const isFavorite = ownFavorite || artifacts.some(({ favorite }) => favorite);
  return {
    artifacts,
    ownFavorite,
    favorite: after.favorite === before.favorite ? marks.favorite : isFavorite,
    deletedSecs: deletedAfter({ ...marks, artifacts }, { before, after, atSecs }),
  };
}

/** Returns true if the image has a mark. */
export function hasMarks({ favorite, hidden, note }: JobArtifact): boolean {
  return favorite === true || hidden === true || note !== undefined;
}

/** Returns the image with the changed marks. Marks that are not set are left out. */
function withMarks(image: JobArtifact, change: ArtifactPatch): JobArtifact {
  const { favorite, hidden, note, ...facts } = { ...image, ...change };
  return {
    ...facts,
    ...(favorite ? { favorite } : {}),
    ...(hidden ? { hidden } : {}),
    ...(note ? { note } : {}),
  };
}

function deletedAfter(
  { deletedSecs, artifacts }: Pick<JobMarks, 'deletedSecs' | 'artifacts'>,
  {
    before,
    after,
    atSecs,
  }: { readonly before: JobArtifact; readonly after: JobArtifact; readonly atSecs: number },
): number | null {
  if (after.hidden === before.hidden) return deletedSecs;
  if (!after.hidden) return null;
  return artifacts.every(({ hidden }) => hidden) ? (deletedSecs ?? atSecs) : deletedSecs;
}
