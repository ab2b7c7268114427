import * as v from 'valibot';
import { WireCost } from '../reply/cost.ts';
import { PERMISSIONS } from '../request/caller.ts';
import { closedObject } from '../schema/closed-object.ts';
import { Count, documented, UnixSecs } from '../schema/fields.ts';
import { queryInteger } from '../schema/page.ts';

/** The number of days for which usage is kept. */
export const MAX_USAGE_DAYS = 366;

const DEFAULT_USAGE_DAYS = '30';

export const UsageQuery = closedObject({
  days: documented(
    v.optional(queryInteger(1, MAX_USAGE_DAYS), DEFAULT_USAGE_DAYS),
    'The number of days, including the current day.',
  ),
  tokens: documented(
    v.optional(v.picklist(['own', 'all']), 'own'),
    'The tokens whose usage is reported. `all` needs the permission `admin`, and adds `by_token` to the reply.',
  ),
});
export type UsageQuery = v.InferOutput<typeof UsageQuery>;

const countEntries = {
  images: documented(Count, 'Images that the provider made and charges for, delivered or not.'),
  failed: documented(Count, 'Requested images that were certainly not made.'),
  unknown: documented(
    Count,
    'Images that may have been made and charged for, because their call ended without a known outcome.',
  ),
  lost: documented(
    Count,
    'The part of `images` that was not delivered: neither in a reply, nor as an artifact, nor in the result of a job.',
  ),
  tokens: documented(v.optional(Count), 'Tokens of the models, if the providers report them.'),
  cost: documented(WireCost, 'The cost of the calls that have ended.'),
  unknown_images: documented(Count, 'The images in `images` and `unknown` whose cost is unknown.'),
};

/** The limits of a token, each absent if the token has no such limit. */
const limitEntries = {
  allowance: v.optional(
    v.strictObject({
      images_per_day: Count,
      used: documented(
        Count,
        "Today's `images` and `unknown`, and the images reserved for work that has not ended.",
      ),
      resets: documented(UnixSecs, 'The start of the next day in UTC.'),
    }),
  ),
  budget: v.optional(
    v.strictObject({
      currency: v.literal('USD'),
      per_day: v.optional(v.string()),
      per_month: v.optional(v.string()),
      used_today: documented(
        v.string(),
        'The amount that is spent today (UTC) or reserved for work that was accepted today.',
      ),
      used_this_month: v.string(),
      unknown_cost: documented(
        v.string(),
        'The amount for each image whose cost is unknown, or `refuse`.',
      ),
    }),
  ),
};

/** The caller and its permissions. */
export const UsageCaller = v.strictObject({
  name: documented(
    v.optional(v.string()),
    'The name of the token; absent for a caller without a named token.',
  ),
  permissions: v.array(v.picklist(PERMISSIONS)),
  expires: documented(v.optional(UnixSecs), 'The time at which the token expires.'),
  ...limitEntries,
});

/** The number of models that a report names. */
export const MAX_USAGE_MODELS = 30;

/** The number of tokens that a report names. */
export const MAX_USAGE_TOKENS = 100;

/** The usage of one model on one day. */
export const ModelUsage = v.strictObject({
  provider: documented(v.optional(v.string()), 'Absent in the sum of the other models.'),
  model: documented(
    v.optional(v.string()),
    'Absent for images of the provider whose model is not recorded, and in the sum of the other models.',
  ),
  others: documented(
    v.optional(Count),
    `The number of models in the sum of the models beyond the ${MAX_USAGE_MODELS} with the most images in the report.`,
  ),
  ...countEntries,
});

export const TOKEN_KINDS = ['named', 'removed', 'unlisted', 'unnamed', 'others'] as const;

/** The usage of one token on all days of a report. */
export const TokenUsage = v.strictObject({
  kind: documented(
    v.picklist(TOKEN_KINDS),
    `\`named\`: a token of the tokens file. \`removed\`: a token that was removed. \`unlisted\`: the sum of the tokens that the file no longer lists. \`unnamed\`: callers without a named token. \`others\`: the sum of the tokens beyond the ${MAX_USAGE_TOKENS} with the most images.`,
  ),
  name: documented(v.optional(v.string()), 'The name of a named or removed token.'),
  own: documented(v.optional(v.literal(true)), 'Present for the usage of the caller.'),
  ...countEntries,
  today: documented(v.strictObject(countEntries), 'The part of the current day in UTC.'),
  ...limitEntries,
});
export type TokenUsage = v.InferOutput<typeof TokenUsage>;

/** The usage on one day. */
export const DayUsage = v.strictObject({
  day: documented(v.string(), 'The day in UTC, such as 2026-11-22.', { format: 'date' }),
  ...countEntries,
  by_provider: documented(
    v.record(v.string(), v.strictObject(countEntries)),
    'The usage by provider name.',
  ),
  by_model: documented(
    v.array(ModelUsage),
    'The usage by model, ordered by provider and model. The sum of the other models is last.',
  ),
});

/** The caller, and the usage of its token or of all tokens. */
export const UsageReport = v.strictObject({
  caller: UsageCaller,
  items: documented(v.array(DayUsage), 'The days with images, latest first.'),
  by_token: documented(
    v.optional(v.array(TokenUsage)),
    'The tokens with images on these days, the most images first. Present with `tokens=all`.',
  ),
});
export type UsageReport = v.InferOutput<typeof UsageReport>;
