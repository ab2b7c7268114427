import * as v from 'valibot';
import { ownIssue } from './issues.ts';

// A request may contain thousands of unknown fields, and a longer list does not help the reader.
const MAX_UNKNOWN_KEYS = 1000;

/**
 * Creates the schema of an object that rejects and reports every unknown field. `null` for an optional field means the same as
 * omitting the field, unless the schema of the field accepts `null`.
 */
export function closedObject<const E extends v.ObjectEntries>(
  entries: E,
): v.StrictObjectSchema<E, undefined> {
  const known = v.object(entries);
  const schema = v.strictObject(entries);
  // The value of an object without fields, which many requests omit. All requests share the value, so it is frozen.
  let defaults: object | undefined;
  return Object.assign(schema, {
    takesNull: true,
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      // The casts are safe because `strictObject` and `object` differ only in their issue types.
      type Outcome = ReturnType<(typeof schema)['~run']>;
      const isEmpty = isPlainObject(dataset.value) && Object.keys(dataset.value).length === 0;
      if (isEmpty && defaults) return { typed: true, value: defaults } as Outcome;
      const { result, unknown } = runKnown(known, dataset.value, config);
      if (isEmpty && !result.issues) defaults = freeze(result.value);
      const [first, ...others] = unknown.slice(0, MAX_UNKNOWN_KEYS).map(unknownField);
      if (first === undefined) return result as Outcome;
      const issues = [...(result.issues ?? []), first, ...others];
      return { typed: false, value: result.value, issues } as Outcome;
    },
  });
}

/** Freezes an object of defaults. The objects inside the members of an object without fields are frozen already. */
function freeze(value: object): object {
  for (const member of Object.values(value)) Object.freeze(member);
  return Object.freeze(value);
}

function unknownField(name: string): v.BaseIssue<unknown> {
  return ownIssue('unknown_field', 'is not a known field', name);
}

/** Creates the schema of one of several closed objects, selected by the literal in `key`. */
export function closedVariant<const K extends string, const O extends v.VariantOptions<K>>(
  key: K,
  options: O,
): v.VariantSchema<K, O, undefined> {
  const variant = v.variant(key, options);
  const run = variant['~run'];
  return Object.assign(variant, {
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      // valibot treats a list as an object. A number fails with the issue that a list should have.
      return run.call(variant, Array.isArray(dataset.value) ? { value: 0 } : dataset, config);
    },
  });
}

/**
 * Creates the schema of two alternatives: `second` for an object that `isSecond` accepts, else `first`. Reports the issues of
 * the selected schema, which a plain union would not report.
 */
export function eitherOf<const A extends v.GenericSchema, const B extends v.GenericSchema>(
  first: A,
  second: B,
  isSecond: (input: Readonly<Record<string, unknown>>) => boolean,
): v.UnionSchema<[A, B], undefined> {
  const union = v.union([first, second]);
  return Object.assign(union, {
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const { value } = dataset;
      const schema = isPlainObject(value) && isSecond(value) ? second : first;
      // The cast is safe because the union of both schemas has the same output.
      return schema['~run'](dataset, config) as ReturnType<(typeof union)['~run']>;
    },
  });
}

/** Creates the schema of a field that may be omitted or `null`. The value is `null` in both cases. */
export function nullable<const S extends v.GenericSchema>(schema: S) {
  return v.optional(v.nullable(schema), null);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses the known fields of a value. Returns the result and the names of the unknown fields. */
export function runKnown<const E extends v.ObjectEntries>(
  known: v.ObjectSchema<E, undefined>,
  input: unknown,
  config: v.Config<v.BaseIssue<unknown>>,
) {
  // valibot treats an array as an object and would report each field. A number fails as a whole.
  if (!isPlainObject(input)) return { result: known['~run']({ value: 0 }, config), unknown: [] };
  const kept: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(known.entries, key)) unknown.push(key);
    // An optional field that is `null` counts as omitted.
    else if (value !== null || known.entries[key]?.type !== 'optional') kept[key] = value;
  }
  return { result: known['~run']({ value: kept }, config), unknown };
}
