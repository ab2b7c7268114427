import type { Job } from '../api/schemas.ts';
import type { JobImage } from '../job/state/job-images.ts';
import { formatBytes, formatNumber, formatTime, text } from '../text/text.ts';

/** One fact about an image. */
export interface TableFact {
  readonly name: string;
  readonly value: string;
}

/** Returns the facts about an image by which images are compared, in the order in which they are shown. */
export function factsOf(job: Job, image: JobImage): readonly TableFact[] {
  const { request, result, created } = job;
  const facts = [
    [text('job.fact.model'), result?.model ?? request.routing.model ?? request.routing.provider],
    [
      text('job.fact.size'),
      image.size &&
        text('size', { width: String(image.size.width), height: String(image.size.height) }),
    ],
    [
      text('job.fact.format'),
      text('job.fact.format.one', {
        format: image.format.toUpperCase(),
        bytes: formatBytes(image.bytes),
      }),
    ],
    [text('plan.field.quality'), result?.effective.quality],
    [
      text('table.time'),
      result &&
        text('table.seconds', {
          seconds: formatNumber(Math.round(result.timings.provider_ms / 100) / 10),
        }),
    ],
    [text('table.made'), formatTime(created)],
  ] as const;
  return facts.flatMap(([name, value]) => (value == null || value === '' ? [] : [{ name, value }]));
}

/** Returns the names of the facts whose value is different from the value of most other images. */
export function unlikeMost(
  own: readonly TableFact[],
  others: readonly (readonly TableFact[])[],
): ReadonlySet<string> {
  const unlike = own.filter(({ name, value }) => {
    const same = others.filter((facts) =>
      facts.some((each) => each.name === name && each.value === value),
    );
    return same.length * 2 < others.length;
  });
  return new Set(unlike.map(({ name }) => name));
}
