import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJsonStructure } from '../../../../lib/http/body/json-structure.ts';

const check = (text: string) => () => checkJsonStructure(Buffer.from(text));

describe('checkJsonStructure', () => {
  it('takes any JSON of moderate depth', () => {
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
    ['the escaped quotes of a long prompt', `"${'\\"'.repeat(12_288)}"`],
    ['base64 with escaped slashes, as PHP sends it', `"${'abc\\/'.repeat(500_000)}"`],
    ['an indented request', `{${' '.repeat(100_000)}"prompt": "a fox"}`],
  ])('takes %s', (_name, text) => {
    expect(check(text)).not.toThrow();
  });

  it.each([
    ['arrays deeper than 64', '['.repeat(65)],
    ['objects deeper than 64', '{"a":'.repeat(65)],
    ['millions of brackets', '['.repeat(5_000_000)],
    ['a very wide array', `[${'[],'.repeat(60_000)}[]]`],
    ['millions of escaped quotes', `"${'\\"'.repeat(5_000_000)}"`],
    ['escaped quotes in many strings', `[${`"${'\\"'.repeat(1000)}",`.repeat(200)}""]`],
    ['millions of spaces', `[${' '.repeat(5_000_000)}]`],
    ['a number of millions of digits', '1'.repeat(5_000_000)],
    ['depth behind a string with an even number of backslashes', `["\\\\"${',['.repeat(65)}`],
  ])('refuses %s', (_name, text) => {
    expect(check(text)).toThrow('the JSON is');
  });
});
