import * as v from 'valibot';
import { coded } from './issues.ts';
import { isLongerThan, ShortText, text } from './text.ts';

/** Whether text survives UTF-8, SQLite and C strings unchanged: no lone surrogate, no U+0000. */
export function isStorableText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\u0000');
}

const STORABLE = coded('invalid_text', 'must hold no lone surrogate and no U+0000');

/** `prompt` and `negative_prompt` together (contract.md 1). */
export const MAX_PROMPT_BYTES = 12_288;

/** A prompt: free text that is not blank. A rule between the fields limits both prompts together. */
export const PromptText = v.pipe(
  text({ maxBytes: 4 * MAX_PROMPT_BYTES }),
  v.check(isStorableText, STORABLE),
  v.check((value) => value.trim() !== '', coded('blank', 'must not be blank')),
  v.metadata({ minLength: 1, maxLength: MAX_PROMPT_BYTES }),
);

/** Free text of at most so many characters. */
export function storableText(maxCodePoints: number) {
  return v.pipe(text({ maxCodePoints }), v.check(isStorableText, STORABLE));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** A short token of the caller's: `minBytes`..`maxBytes` UTF-8 bytes, no control characters. */
export function tokenOf(maxBytes: number, minBytes = 1) {
  return v.pipe(
    text({ maxBytes }),
    v.check((value) => value.isWellFormed(), STORABLE),
    v.check(
      (value) => !CONTROL_CHARACTERS.test(value),
      coded('invalid_text', 'must hold no control characters'),
    ),
    v.check(
      (value) => value.length >= minBytes,
      coded('invalid_length', `must be ${minBytes} to ${maxBytes} bytes long`),
    ),
    v.metadata({ minLength: minBytes }),
  );
}

/** A lowercase hexadecimal SHA-256. */
export const Sha256 = v.pipe(ShortText, v.regex(/^[0-9a-f]{64}$/));

/** 128 random bits in lowercase hexadecimal. */
export const ArtifactId = v.pipe(ShortText, v.regex(/^[0-9a-f]{32}$/));

/** Unix time in seconds. */
export const UnixSecs = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A duration in milliseconds. */
export const DurationMs = v.pipe(v.number(), v.minValue(0));

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A caller's `x-request-id` is kept when it has this form (contract.md 0). */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** At most 16 pairs of the caller's, kept with the job and the metadata record. */
export const UserMetadata = v.pipe(
  v.custom<Readonly<Record<string, string>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    coded('invalid_type', 'must be an object of strings'),
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value;
    const keys = Object.keys(input);
    if (keys.length > 16) addIssue({ message: coded('too_many', 'must have at most 16 pairs') });
    // Seventeen bad pairs are reported as well as a million.
    for (const key of keys.slice(0, 17)) {
      const value: unknown = input[key];
      const path: [v.ObjectPathItem] = [{ type: 'object', origin: 'value', input: {}, key, value }];
      if (key.length > 64 || !/^[A-Za-z0-9_.-]{1,64}$/.test(key)) {
        addIssue({
          path,
          message: coded('invalid_key', 'must be named by 1 to 64 of A-Z a-z 0-9 _ . -'),
        });
      } else if (typeof value !== 'string') {
        addIssue({ path, message: coded('invalid_type', 'must be a string') });
      } else if (isLongerThan(value, 512)) {
        addIssue({ path, message: coded('invalid_length', 'must be at most 512 bytes long') });
      } else if (!isStorableText(value)) {
        addIssue({ path, message: STORABLE });
      }
    }
  }),
  v.metadata({
    type: 'object',
    maxProperties: 16,
    propertyNames: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
    additionalProperties: { type: 'string', maxLength: 512 },
  }),
);
