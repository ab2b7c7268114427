import * as v from 'valibot';

// A longer list helps no reader, and a request may hold some thousands.
const MAX_UNKNOWN_KEYS = 1000;

/**
 * An object that knows all its fields (contract.md 0): every unknown one is reported, not just the first, and `null`
 * for an optional field means the same as leaving it out, unless the field's own schema takes `null`.
 */
export function closedObject<const E extends v.ObjectEntries>(
  entries: E,
): v.StrictObjectSchema<E, undefined> {
  const known = v.object(entries);
  const schema = v.strictObject(entries);
  return Object.assign(schema, {
    takesNull: true,
    '~run'(
      dataset: v.UnknownDataset,
      config: v.Config<v.BaseIssue<unknown>>,
    ): v.OutputDataset<
      v.InferOutput<v.StrictObjectSchema<E, undefined>>,
      v.InferIssue<v.StrictObjectSchema<E, undefined>>
    > {
      const input = dataset.value;
      if (!isPlainObject(input)) {
        // An array is an object to valibot, and would fail field by field instead of as a whole.
        return schemaFailure(known, dataset, config);
      }
      const result = known['~run']({ value: withoutNulls(input, entries) }, config);
      const unknown = Object.keys(input).filter((key) => !Object.hasOwn(entries, key));
      for (const key of unknown.slice(0, MAX_UNKNOWN_KEYS)) addUnknownKey(result, input, key);
      // `strictObject` and `object` differ in their issue types only.
      return result as v.OutputDataset<
        v.InferOutput<v.StrictObjectSchema<E, undefined>>,
        v.InferIssue<v.StrictObjectSchema<E, undefined>>
      >;
    },
  });
}

/** One of several closed objects, distinguished by the literal in `key`. A list fails as a whole, not for lacking the key. */
export function closedVariant<const K extends string, const O extends v.VariantOptions<K>>(
  key: K,
  options: O,
): v.VariantSchema<K, O, undefined> {
  const variant = v.variant(key, options);
  const run = variant['~run'];
  return Object.assign(variant, {
    '~run'(
      dataset: v.UnknownDataset,
      config: v.Config<v.BaseIssue<unknown>>,
    ): ReturnType<typeof run> {
      // A list is an object to valibot; a number fails as a list should.
      return run.call(variant, Array.isArray(dataset.value) ? { value: 0 } : dataset, config);
    },
  });
}

/**
 * One of two schemas: `second` for an object that `isSecond`, else `first`. Issues are those of that schema alone, where a
 * union reports none of either.
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
      // Either way it is what the union of both would return.
      return schema['~run'](dataset, config) as ReturnType<(typeof union)['~run']>;
    },
  });
}

/** A field that may be left out or `null`, and is `null` in both cases. */
export function nullable<const S extends v.GenericSchema>(schema: S) {
  return v.optional(v.nullable(schema), null);
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function schemaFailure<S extends v.GenericSchema>(
  schema: S,
  dataset: v.UnknownDataset,
  config: v.Config<v.BaseIssue<unknown>>,
): v.OutputDataset<never, v.BaseIssue<unknown>> {
  // A number fails every object schema with the very issue that an array deserves.
  const failed = schema['~run']({ value: 0 }, config);
  return { typed: false, value: dataset.value, issues: failed.issues as [v.BaseIssue<unknown>] };
}

function withoutNulls(input: Record<string, unknown>, entries: v.ObjectEntries): object {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(entries)) {
    if (!Object.hasOwn(input, key)) continue;
    if (input[key] === null && entries[key]?.type === 'optional') continue;
    kept[key] = input[key];
  }
  return kept;
}

function addUnknownKey(
  result: v.OutputDataset<unknown, v.BaseIssue<unknown>>,
  input: Record<string, unknown>,
  key: string,
): void {
  const issue: v.BaseIssue<unknown> = {
    kind: 'schema',
    type: 'unknown_field',
    input: undefined,
    expected: 'never',
    received: 'unknown',
    message: 'is not a known field',
    path: [{ type: 'object', origin: 'key', input, key, value: undefined }],
  };
  // The dataset is ours until it is returned; valibot itself grows it the same way.
  const open = result as { typed: boolean; issues?: v.BaseIssue<unknown>[] };
  open.typed = false;
  if (open.issues) open.issues.push(issue);
  else open.issues = [issue];
}
