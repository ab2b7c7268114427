import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonStructure } from '../../../../lib/http/body/json-structure.ts';

const check = (text: string) => () => checkJsonStructure(Buffer.from(text));

const MIB = 1024 * 1024;

const objectOf = (members: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, at) => [`name${at}`, 1])));

/** Returns JSON with this many escaped quotes, in strings of a thousand each and one string with the rest. */
const escapedQuotes = (count: number) =>
  `["${'\\"'.repeat(count % 1000)}"${`,"${'\\"'.repeat(1000)}"`.repeat(count / 1000)}]`;

describe('checkJsonStructure', () => {
  it('accepts any JSON of moderate depth', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        expect(check(text)).not.toThrow();
      }),
    );
  });

  it.each([
    ['brackets in a string', `"${'['.repeat(1000)}"`],
    ['an escaped quote before brackets', `"\\"${'['.repeat(1000)}"`],
    ['an escaped backslash at the end of a string', `["\\\\", "${'{'.repeat(1000)}"]`],
    ['a depth of exactly 64', '['.repeat(64) + ']'.repeat(64)],
    ['a string that never ends', `"${'['.repeat(1000)}`],
    ['unbalanced ends, which the parser refuses', ']'.repeat(100)],
    ['an object of 5000 members', objectOf(5000)],
    ['100,000 escaped quotes', escapedQuotes(100_000)],
    ['12 MB of base64', `{"data":"${'QUJD'.repeat(3_000_000)}"}`],
    ['1 MiB outside strings', `[${' '.repeat(MIB - 2)}]`],
    ['the escaped quotes of a long prompt', `"${'\\"'.repeat(12_288)}"`],
    ['base64 with escaped slashes, as PHP sends it', `"${'abc\\/'.repeat(500_000)}"`],
    ['an indented request', `{${' '.repeat(100_000)}"prompt": "a fox"}`],
  ])('accepts %s', (_name, text) => {
    expect(check(text)).not.toThrow();
  });

  it.each([
    ['arrays deeper than 64', '['.repeat(65)],
    ['objects deeper than 64', '{"a":'.repeat(65)],
    ['millions of brackets', '['.repeat(5_000_000)],
    ['depth behind a string with an even number of backslashes', `["\\\\"${',['.repeat(65)}`],
  ])('rejects %s', (_name, text) => {
    expect(check(text)).toThrow('the JSON is nested deeper than 64');
  });

  it.each([
    ['of 1025 bytes', `{"${'n'.repeat(1024)}":1}`, `{"${'n'.repeat(1023)}":1}`],
    ['of 16 MiB, and spaces before its colon', `{"${'n'.repeat(16 * MIB)}" \n:1}`, '{"n" \n:1}'],
    ['deep inside', `[{"a":{"${'n'.repeat(2000)}":1}}]`, `[{"a":["${'n'.repeat(2000)}",":"]}]`],
  ])('rejects a name %s', (_name, text, allowed) => {
    expect(check(text)).toThrow('the JSON has a name of more than 1024 bytes');
    expect(check(allowed)).not.toThrow();
  });

  it.each([
    ['an object of 5001 members', objectOf(5001)],
    ['a list of 5001 items', `[${'1,'.repeat(5000)}1]`],
    ['2501 empty lists', `[${'[],'.repeat(2500)}[]]`],
  ])('rejects %s', (_name, text) => {
    expect(check(text)).toThrow('the JSON has more than 5000 parts');
  });

  it.each([
    ['100,001 escaped quotes', escapedQuotes(100_001)],
    ['millions of escaped quotes', `"${'\\"'.repeat(5_000_000)}"`],
    ['millions of backslashes before a quote', `"${'\\\\'.repeat(5_000_000)}"`],
  ])('rejects %s', (_name, text) => {
    expect(check(text)).toThrow('the JSON has more than 100000 backslashes before quotes');
  });

  it.each([
    ['more than 1 MiB outside strings', `[${' '.repeat(MIB - 1)}]`],
    ['a number of millions of digits', '1'.repeat(5_000_000)],
  ])('rejects %s', (_name, text) => {
    expect(check(text)).toThrow('the JSON has more than 1048576 bytes outside strings');
  });
});
