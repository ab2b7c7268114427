import * as v from 'valibot';
import { CostColumns, withCost } from './budgets.ts';

/** The columns of counts in the tables `usage` and `usage_model`. */
export const COUNT_COLUMNS = 'images, lost, unknown, failed, tokens, cost, basis, unpriced';

const countEntries = {
  ...v.entriesFromList(['images', 'lost', 'unknown', 'failed', 'unpriced'], v.number()),
  tokens: v.pipe(
    v.nullable(v.number()),
    v.transform((tokens) => tokens ?? undefined),
  ),
  ...CostColumns,
};

const dayEntries = { day: v.number(), provider: v.string(), ...countEntries };

/** Converts rows of the table `usage` to the usage of providers. */
export const UsageRows = v.array(v.pipe(v.object(dayEntries), v.transform(withCost)));

/** Converts rows of the table `usage_model` to the usage of models. */
export const ModelRows = v.array(
  v.pipe(v.object({ ...dayEntries, model: v.string() }), v.transform(withCost)),
);

/** Converts sums of the table `usage` to the usage of tokens. */
export const TokenRows = v.array(
  v.pipe(v.object({ token: v.string(), ...countEntries }), v.transform(withCost)),
);
