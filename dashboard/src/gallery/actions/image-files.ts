import type { JobArtifact, JobSummary } from '../../api/schemas.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';

/** An image with the file name under which it is saved. */
export interface SavedFile {
  /** A path below /v1. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

const WORDS = 6;

/** Returns the shown images of jobs, each with the file name for saving. */
export function filesOf(jobs: readonly JobSummary[]): readonly SavedFile[] {
  return jobs.flatMap((job) =>
    shownArtifacts(job).map((artifact) => ({
      path: `/v1/artifacts/${artifact.id}`,
      bytes: artifact.bytes,
      name: artifactName(job, job.artifacts.indexOf(artifact)),
    })),
  );
}

/** Returns the file name of an image of a job. */
export function artifactName(job: JobSummary, index: number): string {
  const number = job.artifacts.length > 1 ? index + 1 : undefined;
  return imageName(job, job.artifacts[index]?.format ?? 'png', number);
}

/** Returns a file name: the first words of the prompt, the end of the job id, and the number of one of several images. */
export function imageName(
  job: Pick<JobSummary, 'id' | 'prompt'>,
  format: JobArtifact['format'],
  number: number | undefined,
): string {
  const words = job.prompt
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu);
  const subject = (words ?? []).slice(0, WORDS).join('-').slice(0, 60) || 'image';
  const end = number === undefined ? '' : `-${number}`;
  return `${subject}-${job.id.slice(-6)}${end}.${format === 'jpeg' ? 'jpg' : format}`;
}
