import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToml, toToml } from '../../../../lib/config/sources/toml.ts';
import {
  createTomlLines,
  eachTomlKey,
  tomlKeyOnLine,
} from '../../../../lib/config/sources/toml-lines.ts';
import type { Segment } from '../../../../lib/config/values/field.ts';

const DOCUMENT = String.raw`# [not.a.table] a = 1
top = 1 # trailing = 2
"quo\u0074ed key" = 'a = # [x]'

[a.b]   # a table
c = """
d = 1
[e]
\""" ""x"""
'f.g' . h = '''
'' i = 2 '''
list = [ # comment ]
  1, "]",
  [ 2,
    3 ], { k = 4,
    l = 5 },
]
inline = { m.n = 1, "o" = { p = [] } } # , q = 1
when = 1979-05-27 07:32:00 # r = 1
"" = 1

[[rows]]
s = 1
[[rows]]
t = 1
[ u . "v w" ]
x = 1`;

describe('createTomlLines', () => {
  it.each<[readonly Segment[], number]>([
    [['top'], 2],
    [['quoted key'], 3],
    [['a'], 5],
    [['a', 'b'], 5],
    [['a', 'b', 'c'], 6],
    [['a', 'b', 'f.g', 'h'], 10],
    [['a', 'b', 'list'], 12],
    [['a', 'b', 'list', 0], 13],
    [['a', 'b', 'list', 2], 14],
    [['a', 'b', 'list', 2, 1], 15],
    [['a', 'b', 'list', 3, 'k'], 15],
    [['a', 'b', 'list', 3, 'l'], 16],
    [['a', 'b', 'inline', 'm', 'n'], 18],
    [['a', 'b', 'inline', 'o', 'p'], 18],
    [['a', 'b', 'when'], 19],
    [['a', 'b', ''], 20],
    [['rows'], 22],
    [['rows', 's'], 23],
    [['rows', 't'], 25],
    [['u', 'v w', 'x'], 27],
  ])('finds the line of %j', (path, line) => {
    const withCarriageReturns = DOCUMENT.replaceAll('\n', '\r\n');

    expect(parseToml(DOCUMENT).ok).toBe(true);
    expect(createTomlLines(DOCUMENT).lineOf(path)).toBe(line);
    expect(createTomlLines(withCarriageReturns).lineOf(path)).toBe(line);
    expect(createTomlLines(`\ufeff${DOCUMENT}`).lineOf(path)).toBe(line);
  });

  it('returns the line of the nearest known parent of an unknown path', () => {
    const lines = createTomlLines('\n\n[a]\nb = 1');

    expect(lines.lineOf(['a', 'x', 'y'])).toBe(3);
    expect(lines.lineOf(['x'])).toBe(1);
  });

  it('handles very deep and long keys in bounded time', () => {
    const text = `${'a.'.repeat(200_000)}b = 1\nc = 2`;

    expect(createTomlLines(text).lineOf(['c'])).toBe(2);
  });
});

describe('eachTomlKey', () => {
  it('finds exactly the keys and items that the parser finds', () => {
    const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: 'binary' }),
        fc.integer(),
        fc.boolean(),
        // A list that contains only tables would be written as `[[rows]]`, whose items have no keys of their own.
        fc.array(tie('any'), { maxLength: 3 }).map((items) => [1, ...items]),
        fc.dictionary(fc.string({ unit: 'grapheme' }), tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    const table = fc.dictionary(fc.string({ unit: 'grapheme' }), value, { maxKeys: 5 });

    fc.assert(
      fc.property(table, (content) => {
        const text = toToml(content);
        const seen = new Set<string>();

        eachTomlKey(text, (path) => seen.add(JSON.stringify(path)));

        const reading = parseToml(text);
        expect(reading.ok).toBe(true);
        expect([...seen].sort()).toEqual([...pathsOf(reading.ok ? reading.table : {})].sort());
      }),
      { numRuns: 300 },
    );
  });

  it('terminates for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}"\'=.,#\n\\ a1-') }), (text) => {
        const lineCount = text.split('\n').length;

        eachTomlKey(text, (_path, line) => expect(line).toBeLessThanOrEqual(lineCount));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not overflow the stack on unclosed brackets', () => {
    expect(() => eachTomlKey(`a = ${'['.repeat(500_000)}`, () => undefined)).not.toThrow();
    expect(() => eachTomlKey(`a = ${'{a='.repeat(300_000)}`, () => undefined)).not.toThrow();
  });
});

describe('tomlKeyOnLine', () => {
  it.each<[string, number, readonly Segment[] | undefined]>([
    ['[server]\nbind = "a"\nbind = "b"', 3, ['server', 'bind']],
    ['[server]\nbind =', 2, ['server', 'bind']],
    ['[server]\nbind = "a', 2, ['server', 'bind']],
    ['[server]\n[server]', 2, ['server']],
    ['a = 1\nno key here\nb = 1', 2, undefined],
    ['a = 1\nhunter2', 2, undefined],
    ['[hunter2\na = 1', 1, undefined],
    ['', 1, undefined],
  ])('finds the faulty key in %j', (text, line, expected) => {
    expect(tomlKeyOnLine(text, line)).toEqual(expected);
  });
});

/** Returns the paths of all keys and items as JSON. */
function* pathsOf(node: unknown, path: readonly Segment[] = []): Generator<string> {
  const entries = Array.isArray(node)
    ? [...node.entries()]
    : typeof node === 'object' && node !== null
      ? Object.entries(node)
      : [];
  for (const [key, inner] of entries) {
    yield JSON.stringify([...path, key]);
    yield* pathsOf(inner, [...path, key]);
  }
}
