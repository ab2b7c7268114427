import * as v from 'valibot';
import { coded } from './issues.ts';

/** The maximum length of a text, in bytes of UTF-8, in UTF-16 code units or in code points. */
type TextLimit =
  | { readonly maxBytes: number }
  | { readonly maxLength: number }
  | { readonly maxCodePoints: number };

export type TextSchema = v.StringSchema<undefined> & { readonly limit: TextLimit };

/** Creates the schema of a string in a request. If a text is too long, no other check of the field reads the text. */
export function text(limit: TextLimit): TextSchema {
  const schema = v.string();
  const isTooLong = checkOf(limit);
  const message = coded('invalid_length', messageOf(limit));
  return {
    ...schema,
    limit,
    '~run'(dataset, config) {
      const { value } = dataset;
      if (typeof value !== 'string' || !isTooLong(value)) return schema['~run'](dataset, config);
      return { typed: false, value: '', issues: [tooLong(message)] };
    },
  };
}

/** A string that is checked by a pattern or a list. Because of the limit, these checks never read a long text. */
export const ShortText = text({ maxBytes: 1024 });

/** A text that may have megabytes, such as an image in base64. No check reads the text before it is decoded. */
export const Payload = v.string();

/**
 * Returns the limit of a text as a JSON Schema keyword, in characters. The keyword may be more permissive than the limit, never
 * stricter. The limit of a `ShortText` is omitted because its pattern is more precise.
 */
export function textKeywords(schema: object): { readonly maxLength?: number } {
  if (!('limit' in schema) || schema.limit === ShortText.limit) return {};
  const [maxLength = 0] = Object.values(schema.limit as TextLimit);
  return { maxLength };
}

export function utf8Bytes(value: string): number {
  return Buffer.byteLength(value, 'utf8');
}

/** Returns true if the text has more than `maxBytes` bytes of UTF-8. A text with more than `maxBytes` characters is not read. */
export function isLongerThan(value: string, maxBytes: number): boolean {
  return value.length > maxBytes || utf8Bytes(value) > maxBytes;
}

function checkOf(limit: TextLimit): (value: string) => boolean {
  if ('maxBytes' in limit) return (value) => isLongerThan(value, limit.maxBytes);
  if ('maxLength' in limit) return (value) => value.length > limit.maxLength;
  const { maxCodePoints } = limit;
  // A code point has at most four bytes of UTF-8. Code points are counted only in texts that may fit.
  return (value) => isLongerThan(value, maxCodePoints * 4) || [...value].length > maxCodePoints;
}

function messageOf(limit: TextLimit): string {
  if ('maxBytes' in limit) return `must be at most ${limit.maxBytes} bytes long`;
  if ('maxLength' in limit) {
    return `must have at most ${limit.maxLength} character${limit.maxLength === 1 ? '' : 's'}`;
  }
  return `must be at most ${limit.maxCodePoints} characters long`;
}

/** Returns an issue without the text, which would be kept as long as the error. */
function tooLong(message: string): v.StringIssue {
  return {
    kind: 'schema',
    type: 'string',
    input: undefined,
    expected: 'string',
    received: 'string',
    message,
  };
}
