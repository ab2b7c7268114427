import * as v from 'valibot';

// A longer list does not help the reader, and a request may contain thousands of unknown fields.
const MAX_UNKNOWN_KEYS = 1000;

/**
 * Creates the schema of an object that rejects unknown fields. Every unknown field is reported, not only the first. `null`
 * for an optional field means the same as omitting the field, unless the schema of the field accepts `null`.
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
      const { result, unknown } = runKnown(known, input, config);
      for (const key of unknown.slice(0, MAX_UNKNOWN_KEYS)) addUnknownKey(result, input, key);
      // The cast is safe because `strictObject` and `object` differ only in their issue types.
      return result as v.OutputDataset<
        v.InferOutput<v.StrictObjectSchema<E, undefined>>,
        v.InferIssue<v.StrictObjectSchema<E, undefined>>
      >;
    },
  });
}

/**
 * Creates the schema of one of several closed objects, selected by the literal in `key`. For a list, the reported issue is
 * the wrong type, not the missing key.
 */
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
      // valibot treats a list as an object. A number is passed instead, because a number fails with the issue that a list
      // should have.
      return run.call(variant, Array.isArray(dataset.value) ? { value: 0 } : dataset, config);
    },
  });
}

/**
 * Creates the schema of two alternatives: `second` for an object that `isSecond` accepts, else `first`. Reports the issues
 * of the selected schema. A plain union would not report the issues of its members.
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
  // valibot treats an array as an object, so the array would fail field by field. A number fails as a whole.
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

function addUnknownKey(
  result: v.OutputDataset<unknown, v.BaseIssue<unknown>>,
  input: unknown,
  key: string,
): void {
  const issue: v.BaseIssue<unknown> = {
    kind: 'schema',
    type: 'unknown_field',
    input: undefined,
    expected: 'never',
    received: 'unknown',
    message: 'is not a known field',
    path: [{ type: 'object', origin: 'key', input: Object(input), key, value: undefined }],
  };
  // Mutating the dataset is safe before it is returned. valibot adds issues in the same way.
  const open = result as { typed: boolean; issues?: v.BaseIssue<unknown>[] };
  open.typed = false;
  if (open.issues) open.issues.push(issue);
  else open.issues = [issue];
}
