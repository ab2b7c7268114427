import * as v from 'valibot';
import { Count } from '../../contract/schema/fields.ts';

/** Returns the schema of an optional member of a reply. If the member is malformed, only this member is ignored. */
export function optionalMember<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.nullish(schema), undefined);
}

export const Text = optionalMember(v.string());

export const Tokens = v.fallback(v.optional(Count), undefined);

// The form of the counter names in the backends' APIs. Counters whose names have another form are omitted.
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Returns true if a count that the backend reports under this name may be included in the usage. */
export function isUsageName(name: string): boolean {
  return NAME.test(name);
}
