import * as v from 'valibot';
import { WireCost } from '../reply/cost.ts';
import { closedObject } from '../schema/closed-object.ts';
import { Count, documented } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { text } from '../schema/text.ts';

/** The number of days for which a call can be compared with the invoice, which is how far back fal reports charges. */
export const MAX_BILLED_DAYS = 90;

/** The number of days of a request that names none. */
export const DEFAULT_BILLED_DAYS = 7;
const DAYS_MESSAGE = coded('out_of_range', `must be a whole number from 1 to ${MAX_BILLED_DAYS}`);

export const ReconciliationCreate = closedObject({
  days: documented(
    v.optional(
      v.pipe(
        v.number(),
        v.integer(DAYS_MESSAGE),
        v.minValue(1, DAYS_MESSAGE),
        v.maxValue(MAX_BILLED_DAYS, DAYS_MESSAGE),
      ),
      DEFAULT_BILLED_DAYS,
    ),
    'The number of days, including the current day (UTC).',
  ),
  dry_run: documented(
    v.optional(v.boolean(), false),
    'True if the recorded costs are compared but not changed.',
  ),
  cursor: documented(
    v.optional(text({ maxLength: 1024 })),
    'The next_cursor of the previous reply, which had the same number of days.',
  ),
});
export type ReconciliationCreate = v.InferOutput<typeof ReconciliationCreate>;

/** The comparison of recorded costs with the charges of a service. */
export const Reconciliation = v.strictObject({
  provider: v.string(),
  reports_charges: documented(
    v.boolean(),
    'False if the service does not report its charges, so that no call is compared.',
  ),
  equal: documented(Count, 'Calls whose recorded cost is the charge of the service.'),
  settled: documented(
    Count,
    'Calls whose recorded cost was unknown or different, and is the charge of the service now.',
  ),
  pending: documented(Count, 'Calls that the service has not billed yet.'),
  correction: documented(
    v.string(),
    'The amount in US dollars by which the recorded costs of these calls have changed, as decimal text with a sign if negative.',
  ),
  days: documented(
    v.array(
      v.strictObject({
        day: documented(v.string(), 'The day in UTC, such as 2026-11-22.', { format: 'date' }),
        cost: documented(WireCost, 'The recorded cost of the calls of all tokens.'),
        unknown_images: documented(Count, 'The images whose cost is unknown.'),
      }),
    ),
    'The days with calls of the provider, earliest first.',
  ),
  next_cursor: documented(v.optional(v.string()), 'Present if more calls remain.'),
});
export type Reconciliation = v.InferOutput<typeof Reconciliation>;
