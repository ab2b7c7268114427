import * as v from 'valibot';
import { Count } from '../../contract/schema/fields.ts';

/** Returns the schema of an optional member of a reply. If the member is malformed, only this member is ignored. */
export function optionalMember<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.nullish(schema), undefined);
}

export const Text = optionalMember(v.string());

/**
 * The largest quantity that a reply can report. No call needs as many tokens, seconds or units, so a larger number is a mistake of
 * the backend. A sum of such numbers could exceed the integers of the state store, which would then count no further call.
 */
const MAX_QUANTITY = 1_000_000_000;

/** A number of tokens. */
export const TokenCount = v.pipe(Count, v.maxValue(MAX_QUANTITY));

export const Tokens = v.fallback(v.optional(TokenCount), undefined);

/** A quantity that a service charges for, such as seconds. May be a fraction. */
export const Quantity = v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_QUANTITY));

// The form of the counter names in the backends' APIs. Counters whose names have another form are omitted.
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Returns true if a count that the backend reports under this name may be included in the usage. */
export function isUsageName(name: string): boolean {
  return NAME.test(name);
}
