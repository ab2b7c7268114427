import type * as v from 'valibot';

/**
 * Returns the fields that a valid `value` contains, without defaults. `null` is kept if the field accepts it, and removed
 * otherwise.
 */
export function sentFields(entries: v.ObjectEntries, value: object): Record<string, unknown> {
  const given = new Map<string, unknown>(Object.entries(value));
  const sent: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(entries)) {
    const field = given.get(key);
    if (field === undefined || (field === null && unwrapped(schema).type !== 'nullable')) continue;
    sent[key] = sentValue(unwrapped(schema), field);
  }
  return sent;
}

interface Nested {
  readonly entries?: v.ObjectEntries;
  readonly item?: v.GenericSchema;
}

function sentValue(schema: v.GenericSchema & Nested, value: unknown): unknown {
  if (schema.entries && typeof value === 'object' && value !== null) {
    return sentFields(schema.entries, value);
  }
  const { item } = schema;
  return item && Array.isArray(value) ? value.map((one) => sentValue(item, one)) : value;
}

function unwrapped(schema: v.GenericSchema & { readonly wrapped?: v.GenericSchema }) {
  return schema.type === 'optional' && schema.wrapped ? schema.wrapped : schema;
}
