import { text } from '../../text/text.ts';
import type { JobImage } from './job-images.ts';

/** What an image is called: Source, Output 2. */
export function imageText({ kind, number, isOneOfSeveral }: JobImage): string {
  return isOneOfSeveral
    ? text(`job.image.${kind}.numbered` as const, { number })
    : text(`job.image.${kind}`);
}
