import * as v from 'valibot';
import { coded } from './issues.ts';

/** The limit of a text. The first two are compared without reading the text; code points are counted in texts that may fit. */
type TextLimit =
  | { readonly maxBytes: number }
  | { readonly maxLength: number }
  | { readonly maxCodePoints: number };

export type TextSchema = v.StringSchema<undefined> & { readonly limit: TextLimit };

/** No code point has more bytes of UTF-8. */
const CODE_POINT_BYTES = 4;

/**
 * A string of a request. Every string field begins with this schema: a longer text fails with `invalid_length`, and no later
 * check of the field sees it. `maxBytes` counts UTF-8, `maxLength` UTF-16 code units.
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

/** A string for which a pattern or a list of its own decides. The limit only keeps long texts from those checks. */
export const ShortText = text({ maxBytes: 1024 });

/** Base64 in a body. Only `server.max_body_bytes` limits its length, and nothing reads it before it is decoded. */
export const Payload = v.string();

/**
 * The limit of a text as JSON Schema has it, in characters: the documents may be laxer than a limit in bytes, never stricter.
 * A pattern says more than the limit of a `ShortText`.
 */
export function textKeywords(schema: object): { readonly maxLength?: number } {
  if (!('limit' in schema) || schema.limit === ShortText.limit) return {};
  const [maxLength = 0] = Object.values(schema.limit as TextLimit);
  return { maxLength };
}

export function utf8Bytes(value: string): number {
  return Buffer.byteLength(value, 'utf8');
}

/** True if the text has more bytes of UTF-8. A text that cannot fit is not read. */
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

/** Without the text: an issue lives as long as its error. */
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
