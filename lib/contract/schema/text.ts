import * as v from 'valibot';
import { coded } from './issues.ts';

/**
 * The limit of a text. Bytes and length are compared without reading the text. Code points are counted only in texts that
 * may fit.
 */
type TextLimit =
  | { readonly maxBytes: number }
  | { readonly maxLength: number }
  | { readonly maxCodePoints: number };

export type TextSchema = v.StringSchema<undefined> & { readonly limit: TextLimit };

/** The maximum number of UTF-8 bytes of a code point. */
const CODE_POINT_BYTES = 4;

/**
 * Creates the schema of a string in a request. Every string field begins with this schema: a longer text fails with
 * `invalid_length`, and no later check of the field reads it. `maxBytes` counts bytes of UTF-8, `maxLength` UTF-16 code
 * units.
 */
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

/** A string that a pattern or a list checks. Because of the limit, these checks never read a long text. */
export const ShortText = text({ maxBytes: 1024 });

/** Base64 in a body. Only `server.max_body_bytes` limits its length, and no check reads the text before it is decoded. */
export const Payload = v.string();

/**
 * Returns the limit of a text as a JSON Schema keyword, in characters. The documents may be more permissive than a limit in
 * bytes, never stricter. The limit of a `ShortText` is omitted because its pattern is more precise.
 */
export function textKeywords(schema: object): { readonly maxLength?: number } {
  if (!('limit' in schema) || schema.limit === ShortText.limit) return {};
  const [maxLength = 0] = Object.values(schema.limit as TextLimit);
  return { maxLength };
}

export function utf8Bytes(value: string): number {
  return Buffer.byteLength(value, 'utf8');
}

/** Returns true if the text has more than `maxBytes` bytes of UTF-8. A text that cannot fit is not read. */
export function isLongerThan(value: string, maxBytes: number): boolean {
  return value.length > maxBytes || utf8Bytes(value) > maxBytes;
}

function checkOf(limit: TextLimit): (value: string) => boolean {
  if ('maxBytes' in limit) return (value) => isLongerThan(value, limit.maxBytes);
  if ('maxLength' in limit) return (value) => value.length > limit.maxLength;
  const { maxCodePoints } = limit;
  return (value) =>
    isLongerThan(value, maxCodePoints * CODE_POINT_BYTES) || codePoints(value) > maxCodePoints;
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function messageOf(limit: TextLimit): string {
  if ('maxBytes' in limit) return `must be at most ${limit.maxBytes} bytes long`;
  if ('maxLength' in limit) {
    return `must have at most ${limit.maxLength} character${limit.maxLength === 1 ? '' : 's'}`;
  }
  return `must be at most ${limit.maxCodePoints} characters long`;
}

/** Returns an issue without the text, because an issue is kept as long as its error. */
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
