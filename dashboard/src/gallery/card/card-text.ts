import type { JobSummary } from '../../api/schemas.ts';
import { isOpen, stageOf } from '../../jobs/job-state.ts';
import { formatTime, text } from '../../text/text.ts';

/** The accessible name of a card: prompt, state, number of images. */
export function cardName(job: JobSummary): string {
  const { status } = job;
  const state = isOpen(job)
    ? text(`card.stage.${stageOf(job)}`)
    : status !== 'succeeded' && text(`gallery.status.${status}`);
  const count = job.artifacts.length > 1 && text('card.images', { count: job.artifacts.length });
  const marks = [
    job.favorite && text('card.favourite'),
    job.deleted !== undefined && text('card.hidden'),
  ];
  return [job.prompt, state, count, ...marks].filter(Boolean).join('. ');
}

/** What made it, how large it is, when: one line. */
export function cardFacts(job: JobSummary): string {
  const [image] = job.artifacts;
  const model = job.model ?? job.provider;
  return [
    job.provider === 'sandbox' ? text('card.rehearsal', { model }) : model,
    image && text('size', { width: String(image.width), height: String(image.height) }),
    formatTime(job.created),
  ]
    .filter(Boolean)
    .join(text('list.separator'));
}
