import * as v from 'valibot';
import { parseAspectRatio, parseSize } from '../request/parameters.ts';
import { ModelName } from '../request/routing.ts';
import { documented, UnixSecs } from '../schema/fields.ts';
import { coded } from '../schema/issues.ts';
import { queryInteger } from '../schema/page.ts';
import { ShortText } from '../schema/text.ts';

export const OPERATIONS = ['generate', 'edit'] as const;

/** The size by which jobs are found. */
export type JobSize =
  | { readonly kind: 'auto' }
  | { readonly kind: 'pixels' | 'ratio'; readonly width: number; readonly height: number };

/** The largest relative difference between a ratio and the ratio of a size that matches. */
export const RATIO_TOLERANCE = 0.01;

/** Parses `auto`, a size such as `1024x1536`, or a ratio such as `2:3`. Returns undefined for any other text. */
function parseJobSize(text: string): JobSize | undefined {
  if (text === 'auto') return { kind: 'auto' };
  const size = parseSize(text);
  if (size !== undefined) return { kind: 'pixels', ...size };
  const ratio = parseAspectRatio(text);
  return ratio === undefined ? undefined : { kind: 'ratio', ...ratio };
}

/** The text of a size by which jobs are found. */
export const JobSizeText = v.pipe(
  ShortText,
  v.check(
    (text) => parseJobSize(text) !== undefined,
    coded('invalid_value', 'must be auto, WxH or W:H'),
  ),
  v.metadata({ pattern: '^(auto|[1-9][0-9]{0,4}[x:][1-9][0-9]{0,4})$' }),
);

const SizeFilter = v.pipe(
  JobSizeText,
  // The text was checked above.
  v.transform((text) => parseJobSize(text) ?? { kind: 'auto' as const }),
);

/** The description of a field of type `JobSizeText`. */
export const JOB_SIZE =
  'Only jobs whose first image has this size: WxH in pixels, or a ratio W:H, which may differ by 1 %. A job without images has the requested size. auto selects jobs that requested no size.';

export const MODEL = 'Only jobs of this model.';
export const OPERATION = 'Only jobs with this operation.';

/** The filters by facts of the request. A list and a batch have the same fields. */
const factEntries = {
  model: documented(v.optional(ModelName), MODEL),
  size: documented(v.optional(SizeFilter), JOB_SIZE),
  operation: documented(v.optional(v.picklist(OPERATIONS)), OPERATION),
};

const CREATED_AFTER = 'Only jobs that were accepted at this time or later, in Unix seconds.';
const CREATED_BEFORE = 'Only jobs that were accepted before this time, in Unix seconds.';

const QuerySecs = queryInteger(0, Number.MAX_SAFE_INTEGER);
const BodySecs = v.pipe(UnixSecs, v.maxValue(Number.MAX_SAFE_INTEGER));

/** The filters by facts in a query, where every value is text. */
export const factQueryEntries = {
  ...factEntries,
  created_after: documented(v.optional(QuerySecs), CREATED_AFTER),
  created_before: documented(v.optional(QuerySecs), CREATED_BEFORE),
};

/** The filters by facts in a body. */
export const factBodyEntries = {
  ...factEntries,
  created_after: documented(v.optional(BodySecs), CREATED_AFTER),
  created_before: documented(v.optional(BodySecs), CREATED_BEFORE),
};
