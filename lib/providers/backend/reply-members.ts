import * as v from 'valibot';
import { Count } from '../../contract/schema/fields.ts';

/**
 * Returns the schema of an optional member of a reply. A malformed member is ignored and the rest of the reply is still
 * used.
 */
export function optionalMember<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.nullish(schema), undefined);
}

/** An optional text. */
export const Text = optionalMember(v.string());

/** An optional number of tokens. */
export const Tokens = v.fallback(v.optional(Count), undefined);

// The form of the names in the APIs of the backends. Names of another form are omitted.
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Returns true if a count that the backend reports may appear in a usage under this name. */
export function isUsageName(name: string): boolean {
  return NAME.test(name);
}
