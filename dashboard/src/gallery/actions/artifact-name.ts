import type { JobSummary } from '../../api/schemas.ts';

const WORDS = 6;

/** The file name of one of a job's images: the first words of its prompt, the end of its id, its number. */
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
