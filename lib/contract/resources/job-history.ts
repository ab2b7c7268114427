import * as v from 'valibot';
import { closedObject } from '../schema/closed-object.ts';
import { Count, documented, UnixSecs } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { pageEntries, pageOf } from '../schema/page.ts';
import { text } from '../schema/text.ts';
import { ImageJobSummary, jobFilterEntries, VISIBILITIES } from './job.ts';
import { SEARCH_QUERY, SearchQuery } from './search-terms.ts';

/** The maximum number of days in a reply. */
export const MAX_DAYS = 1000;

const TimeZone = v.pipe(
  text({ maxLength: 64 }),
  v.check(isTimeZone, coded('invalid_value', 'must be a time zone such as Europe/Tallinn')),
  v.metadata({ minLength: 1 }),
);

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** The query of `GET /v1/jobs/days`: the filters of the list. */
export const JobDaysQuery = closedObject({
  ...jobFilterEntries,
  visibility: v.optional(v.picklist(VISIBILITIES), 'active'),
  time_zone: documented(
    v.optional(TimeZone, 'UTC'),
    'The IANA name of the time zone in which the days begin.',
  ),
});
export type JobDaysQuery = v.InferOutput<typeof JobDaysQuery>;

export const JobDays = v.strictObject({
  days: documented(
    v.array(
      v.strictObject({
        date: documented(v.pipe(v.string(), v.isoDate()), 'The date in the time zone.'),
        start: documented(UnixSecs, 'The time at which the day begins.'),
        count: documented(Count, 'The number of matching jobs that were accepted on this day.'),
      }),
    ),
    'The days with matching jobs, newest first.',
    { maxItems: MAX_DAYS },
  ),
  more: documented(
    v.boolean(),
    'True if older jobs match that are not counted. They are counted with `created_before` set to the `start` of the last day.',
  ),
});
export type JobDays = v.InferOutput<typeof JobDays>;

/** The number of jobs whose prompts are grouped. */
export const MAX_PROMPT_JOBS = 5000;

export const PromptQuery = closedObject({
  ...pageEntries,
  q: documented(v.optional(SearchQuery), SEARCH_QUERY),
});
export type PromptQuery = v.InferOutput<typeof PromptQuery>;

export const PromptPage = pageOf(
  v.strictObject({
    prompt: documented(v.string(), 'The whole prompt.'),
    count: documented(
      Count,
      `The number of jobs with exactly this prompt, among the newest ${MAX_PROMPT_JOBS} matching jobs.`,
    ),
    job: documented(ImageJobSummary, 'The newest job with this prompt.'),
  }),
);
export type PromptPage = v.InferOutput<typeof PromptPage>;

/** The maximum number of labels in a reply. */
export const MAX_LISTED_LABELS = 100;

export const JobLabels = v.strictObject({
  items: documented(
    v.array(
      v.strictObject({
        label: v.string(),
        count: documented(Count, 'The number of jobs with this label that are not hidden.'),
      }),
    ),
    `At most ${MAX_LISTED_LABELS} labels, the most used label first.`,
    { maxItems: MAX_LISTED_LABELS },
  ),
});
export type JobLabels = v.InferOutput<typeof JobLabels>;
