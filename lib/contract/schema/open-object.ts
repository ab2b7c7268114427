import * as v from 'valibot';
import { closedObject } from './closed-object.ts';

/** What an open object held: the fields that it knows, parsed, and the names of those that it does not. */
export interface OpenFields<E extends v.ObjectEntries> {
  readonly fields: v.InferOutput<v.ObjectSchema<E, undefined>>;
  readonly unknown: readonly string[];
}

/**
 * The OpenAI-familiar routes' exception to closed objects (contract.md 10): a newer client's fields are named, not
 * refused. `null` for an optional field means the same as leaving it out.
 */
export function openObject<const E extends v.ObjectEntries>(entries: E) {
  const closed = closedObject(entries);
  const keywords = v.looseObject(entries);
  // The entries and the type serve the documents; what runs is ours, and gives fields and names apart.
  return Object.assign(
    keywords as unknown as v.GenericSchema<
      v.InferInput<v.ObjectSchema<E, undefined>>,
      OpenFields<E>
    >,
    {
      entries,
      takesNull: true,
      '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
        const { known, unknown } = split(dataset.value, entries);
        const result = closed['~run']({ value: known }, config);
        return result.typed ? { ...result, value: { fields: result.value, unknown } } : result;
      },
    },
  );
}

function split(input: unknown, entries: v.ObjectEntries) {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { known: input, unknown: [] };
  }
  const pairs = Object.entries(input);
  return {
    known: Object.fromEntries(pairs.filter(([key]) => Object.hasOwn(entries, key))),
    unknown: pairs.map(([key]) => key).filter((key) => !Object.hasOwn(entries, key)),
  };
}
