import * as v from 'valibot';

/** Converts rows of the table `usage` to the usage of providers. */
export const UsageRows = v.array(
  v.object({
    provider: v.string(),
    ...v.entriesFromList(['day', 'images', 'lost', 'unknown', 'failed'], v.number()),
    tokens: v.pipe(
      v.nullable(v.number()),
      v.transform((tokens) => tokens ?? undefined),
    ),
  }),
);
