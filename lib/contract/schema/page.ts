import * as v from 'valibot';
import { closedObject } from './closed-object.ts';
import { documented } from './fields.ts';
import { coded } from './issues.ts';
import { ShortText, text } from './text.ts';

const DEFAULT_PAGE_LIMIT = 20;

/** Creates the schema of an integer in a query, where every value is text. */
export function queryInteger(min: number, max: number) {
  return v.pipe(
    ShortText,
    v.check(
      (value) => /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max,
      coded('out_of_range', `must be a whole number from ${min} to ${max}`),
    ),
    // Documents describe the type of the value, not its text in the query.
    v.metadata({ type: 'integer', minimum: min, maximum: max }),
    v.transform(Number),
    v.number(),
  );
}

/** `true` or `false` in a query, where every value is text. */
export const QueryBoolean = v.pipe(
  ShortText,
  v.check(
    (value) => value === 'true' || value === 'false',
    coded('invalid_value', 'must be true or false'),
  ),
  v.metadata({ type: 'boolean' }),
  v.transform((value) => value === 'true'),
);

/** The query fields of every collection. */
export const pageEntries = {
  limit: v.optional(queryInteger(1, 100), String(DEFAULT_PAGE_LIMIT)),
  cursor: documented(
    v.optional(text({ maxLength: 1024 })),
    'The next_cursor of the previous page, which had the same filters.',
  ),
};

export const PageQuery = closedObject(pageEntries);
export type PageRequest = v.InferOutput<typeof PageQuery>;

export function pageOf<const S extends v.GenericSchema>(item: S) {
  return v.strictObject({ items: v.array(item), next_cursor: v.optional(v.string()) });
}

/** One page of a collection. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor?: string;
}
