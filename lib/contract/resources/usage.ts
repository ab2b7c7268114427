import * as v from 'valibot';
import { PERMISSIONS } from '../request/caller.ts';
import { closedObject } from '../schema/closed-object.ts';
import { documented } from '../schema/documented.ts';
import { Count, UnixSecs } from '../schema/fields.ts';
import { queryInteger } from '../schema/page.ts';

/** How long usage is kept. */
export const MAX_USAGE_DAYS = 366;

const DEFAULT_USAGE_DAYS = '30';

export const UsageQuery = closedObject({
  days: documented(
    v.optional(queryInteger(1, MAX_USAGE_DAYS), DEFAULT_USAGE_DAYS),
    'How many days, the current one included.',
  ),
});

const countEntries = {
  images: documented(
    Count,
    'Images that the provider has made and charges for, whether they were delivered or not.',
  ),
  failed: documented(Count, 'Images that were asked for and certainly not made.'),
  unknown: documented(
    Count,
    'Images that may have been made and charged for: their call ended without a known outcome.',
  ),
  lost: documented(
    Count,
    'Those of `images` that were not delivered: neither in a reply, nor as an artifact, nor in the result of a job.',
  ),
  tokens: documented(v.optional(Count), 'Tokens of the models, where providers report them.'),
};

/** Who calls, and what this caller may do. */
export const UsageCaller = v.strictObject({
  name: documented(v.optional(v.string()), 'Of the token; absent where it has none.'),
  permissions: v.array(v.picklist(PERMISSIONS)),
  expires: documented(v.optional(UnixSecs), 'When the token stops being valid.'),
  allowance: v.optional(
    v.strictObject({
      images_per_day: Count,
      used: documented(
        Count,
        'Today: `images`, `unknown`, and what is reserved for work that has not ended.',
      ),
      resets: documented(UnixSecs, 'When the next day begins, in UTC.'),
    }),
  ),
});

/** One day of one token. */
export const DayUsage = v.strictObject({
  day: documented(v.string(), 'In UTC, such as 2026-11-22.', { format: 'date' }),
  ...countEntries,
  by_provider: documented(
    v.record(v.string(), v.strictObject(countEntries)),
    'By the names of the providers that were used.',
  ),
});

/** The images of the caller's token. */
export const UsageReport = v.strictObject({
  caller: UsageCaller,
  items: documented(v.array(DayUsage), 'Days with images, the latest first.'),
});
export type UsageReport = v.InferOutput<typeof UsageReport>;
