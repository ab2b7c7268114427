import * as v from 'valibot';
import { isPlainObject } from './closed-object.ts';
import { coded, pathItem } from './issues.ts';
import { isLongerThan, ShortText, text } from './text.ts';

/** JSON Schema keywords of checks that cannot be derived from the schema. */
export type SchemaKeywords = Readonly<Record<string, unknown>>;

/** Adds a description and JSON Schema keywords to a schema. */
export function documented<const S extends v.GenericSchema>(
  schema: S,
  description: string,
  keywords: SchemaKeywords = {},
) {
  return v.pipe(schema, v.metadata({ description, ...keywords }));
}

/** Returns true if the text can be stored unchanged as UTF-8 and as a C string: no lone surrogate and no U+0000. */
export function isStorableText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\u0000');
}

const STORABLE = coded('invalid_text', 'must not contain lone surrogates or U+0000');

/** The maximum size of `prompt` and `negative_prompt` together, in bytes of UTF-8. */
export const MAX_PROMPT_BYTES = 12_288;

/** A prompt. Another rule limits the total size of `prompt` and `negative_prompt`. */
export const PromptText = v.pipe(
  text({ maxBytes: 4 * MAX_PROMPT_BYTES }),
  v.check(isStorableText, STORABLE),
  v.check((value) => value.trim() !== '', coded('blank', 'must not be blank')),
  v.metadata({ minLength: 1, maxLength: MAX_PROMPT_BYTES }),
);

/** Creates the schema of a text of at most `maxCodePoints` characters. */
export function storableText(maxCodePoints: number) {
  return v.pipe(text({ maxCodePoints }), v.check(isStorableText, STORABLE));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the check must find control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** Creates the schema of a text of `minBytes` to `maxBytes` bytes of UTF-8 without control characters. */
export function tokenOf(maxBytes: number, minBytes = 1) {
  return v.pipe(
    text({ maxBytes }),
    v.check((value) => value.isWellFormed(), STORABLE),
    v.check(
      (value) => !CONTROL_CHARACTERS.test(value),
      coded('invalid_text', 'must not contain control characters'),
    ),
    v.check(
      (value) => value.length >= minBytes,
      coded('invalid_length', `must be ${minBytes} to ${maxBytes} bytes long`),
    ),
    v.metadata({ minLength: minBytes }),
  );
}

/** A SHA-256 in lowercase hexadecimal. */
export const Sha256 = v.pipe(ShortText, v.regex(/^[0-9a-f]{64}$/));

/** 128 random bits in lowercase hexadecimal. */
export const ArtifactId = v.pipe(ShortText, v.regex(/^[0-9a-f]{32}$/));

/** Unix time in seconds. */
export const UnixSecs = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A duration in milliseconds. */
export const DurationMs = v.pipe(v.number(), v.minValue(0));

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The accepted form of a caller's `x-request-id`. A header of any other form is replaced by a new id. */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** At most 16 pairs set by the caller, stored with the job and in the metadata record. */
export const UserMetadata = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    isPlainObject,
    coded('invalid_type', 'must be an object of strings'),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const pairs = Object.entries(dataset.value);
    if (pairs.length > 16) addIssue({ message: coded('too_many', 'must have at most 16 pairs') });
    // At most 17 pairs are checked, because more issues do not help the reader.
    for (const [key, value] of pairs.slice(0, 17)) {
      const message = pairFault(key, value);
      if (message) addIssue({ path: [pathItem(key)], message });
    }
  }),
  v.metadata({
    type: 'object',
    maxProperties: 16,
    propertyNames: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
    additionalProperties: { type: 'string', maxLength: 512 },
  }),
);

function pairFault(key: string, value: unknown): string | undefined {
  if (key.length > 64 || !/^[A-Za-z0-9_.-]+$/.test(key)) {
    return coded('invalid_key', 'must have a name of 1 to 64 characters from A-Z a-z 0-9 _ . -');
  }
  if (typeof value !== 'string') return coded('invalid_type', 'must be a string');
  if (isLongerThan(value, 512)) return coded('invalid_length', 'must be at most 512 bytes long');
  return isStorableText(value) ? undefined : STORABLE;
}
