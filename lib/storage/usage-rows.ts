import * as v from 'valibot';
import { CostColumns, withCost } from './budgets.ts';

/** The columns of the table `usage` for `UsageRows`. */
export const USAGE_COLUMNS =
  'day, provider, images, lost, unknown, failed, tokens, cost, basis, unpriced';

/** Converts rows of the table `usage` to the usage of providers. */
export const UsageRows = v.array(
  v.pipe(
    v.object({
      provider: v.string(),
      ...v.entriesFromList(['day', 'images', 'lost', 'unknown', 'failed', 'unpriced'], v.number()),
      tokens: v.pipe(
        v.nullable(v.number()),
        v.transform((tokens) => tokens ?? undefined),
      ),
      ...CostColumns,
    }),
    v.transform(withCost),
  ),
);
