import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAsyncPreference } from '../../../lib/contract/request/preference.ts';
import { createAccess } from '../../../lib/http/access.ts';
import { boundaryOf, isJson, parseHeaderValue } from '../../../lib/http/body/media-types.ts';
import { parseRange } from '../../../lib/http/reply/file-reply.ts';
import { acceptedCoding } from '../../../lib/http/reply/page-reply.ts';
import { isKnown } from '../../../lib/http/reply/reply.ts';
import { splitHeader } from '../../../lib/platform/header-text.ts';
import { retryAfterMs, waitMsOf } from '../../../lib/providers/http/retry-after.ts';
import { toRetryCount } from '../../../lib/replay/repeat-mark.ts';

const RUNS = { numRuns: 5000 };

/** Texts of characters that are common in headers, so that most texts are nearly valid. */
const headerText = (...words: readonly string[]) =>
  fc
    .array(fc.constantFrom('"', '\\', ',', ';', '=', ' ', '\t', 'a', 'q', '0', '*', ...words), {
      maxLength: 24,
    })
    .map((parts) => parts.join(''));

/** The grammar of RFC 9110, section 5.6, written literally and without regard to speed. */
function referenceSplit(text: string, separator: string): string[] {
  const part = new RegExp(`(?:"(?:\\\\[^]|[^"\\\\])*(?:"|\\\\?$)|[^"${separator}])*`, 'y');
  const parts: string[] = [];
  for (let at = 0; ; at += 1) {
    part.lastIndex = at;
    const [found = ''] = part.exec(text) ?? [];
    parts.push(found.replace(/^[ \t]+|[ \t]+$/g, ''));
    at += found.length;
    if (at >= text.length) return parts;
  }
}

const PARAMETER =
  /;[ \t]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))[ \t]*/y;

function referenceValue(text: string) {
  const [whole = '', value] = /^[ \t]*([^\s;]+)[ \t]*/.exec(text) ?? [];
  if (value === undefined) return undefined;
  const pairs: [string, string][] = [];
  let at = whole.length;
  for (;;) {
    PARAMETER.lastIndex = at;
    const [pair, name = '', quoted, plain = ''] = PARAMETER.exec(text) ?? [];
    if (pair === undefined) break;
    pairs.push([name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain]);
    at += pair.length;
  }
  const names = new Set(pairs.map(([name]) => name));
  const isWhole = names.size === pairs.length && /^;?[ \t]*$/.test(text.slice(at));
  return isWhole ? { value: value.toLowerCase(), parameters: new Map(pairs) } : undefined;
}

describe('the parsers of headers', () => {
  it.each([',', ';'] as const)(
    'split at %s outside quotes as the grammar requires',
    (separator) => {
      fc.assert(
        fc.property(headerText(), (text) => {
          expect(splitHeader(text, separator)).toEqual(referenceSplit(text, separator));
        }),
        RUNS,
      );
    },
  );

  it('read a value and its parameters as the grammar requires', () => {
    fc.assert(
      fc.property(headerText('; a="', '; b=', 'multipart/form-data'), (text) => {
        expect(parseHeaderValue(text)).toEqual(referenceValue(text));
      }),
      RUNS,
    );
  });

  it.each<[string, string, boolean]>([
    ['a list in quotes', 'note="a, respond-async", wait=5', false],
    ['an escaped quote in quotes', 'note="a\\", respond-async", wait=5', false],
    ['a quoted parameter', 'note; by="a, respond-async"', false],
    ['the preference behind a quoted comma', 'note="a,b", respond-async', true],
  ])('find no preference in Prefer inside %s', (_name, header, isAsync) => {
    expect(parseAsyncPreference(header) !== undefined).toBe(isAsync);
  });

  it.each<[string, boolean]>([
    ['"a,*,b"', false],
    ['"a,"x",b"', false],
    ['"a\\", "x"', true],
    ['W/"x"', true],
    ['"y" , "x"', true],
  ])('find the etag "x" in %s: %s', (header, isFound) => {
    expect(isKnown(header, '"x"')).toBe(isFound);
  });
});

/** The repeated text, and the text before and after the repetition. */
const HOSTILE = [
  '',
  ' ',
  '\t',
  ',',
  ';',
  '=',
  '"',
  '\\',
  'a',
  '0',
  'W/',
  '", ',
  'a=b;',
  '; a',
  'a=',
];
const AROUND = [
  '',
  'respond-async',
  'respond-async; wait="',
  'bytes=',
  'Bearer ',
  'application/json',
  'multipart/form-data',
  'q=0.',
  '1s',
];

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  prefer: parseAsyncPreference,
  'accept-encoding': (text) => acceptedCoding(text, ['br', 'gzip']),
  'if-none-match': (text) => isKnown(text, '"x"'),
  range: (text) => parseRange(text, 1000),
  authorization: createAccess({ bearer: 'token', hosts: [] }).authenticate,
  host: createAccess({ bearer: undefined, hosts: [] }).isOurHost,
  'content-type': isJson,
  'content-type of a form': (text) => tolerant(() => boundaryOf(text)),
  'content-disposition': parseHeaderValue,
  'x-stainless-retry-count': toRetryCount,
  'retry-after': (text) => retryAfterMs(text, 0),
  'x-ratelimit-reset': (text) =>
    waitMsOf((name) => (name.includes('remaining') ? '0' : name.includes('reset') ? text : ''), 0),
};

/**
 * A head is limited to 32 KiB. With 300,000 characters, a parser that is not linear takes minutes and the test times out,
 * but a linear parser takes milliseconds.
 */
describe.each(Object.keys(PARSERS))('the parser of %s', (name) => {
  it('parses 300,000 repeated characters in linear time', () => {
    for (const before of AROUND) {
      for (const repeated of HOSTILE) {
        const text = `${before}${repeated.repeat(300_000 / Math.max(1, repeated.length))}${before}`;
        PARSERS[name]?.(Buffer.from(text, 'latin1').toString('latin1'));
      }
    }
  });
});

function tolerant(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return undefined;
  }
}
