import { describe, expect, it } from 'vitest';
import { DEFAULT_PERMISSIONS } from '../../../lib/contract/request/caller.ts';
import { parseTokens, toTokensText } from '../../../lib/tokens/tokens-text.ts';

const SHA256 = 'ab'.repeat(32);
const ALICE = `name = "alice"\nsha256 = "${SHA256}"\nscope = "s-1"\n`;

const withLine = (line: string) => `[[token]]\n${ALICE}${line}\n`;

describe('parseTokens', () => {
  it('reads a token with all its fields', () => {
    const text = withLine(
      'id = "a-1"\npermissions = ["jobs", "read"]\nimages_per_day = 100\nexpires = 2027-01-31T18:00:00+02:00\ndisabled = true\nremoved = 2026-11-23T00:00:00Z',
    );

    expect(parseTokens(text)).toEqual([
      {
        id: 'a-1',
        name: 'alice',
        sha256: SHA256,
        scope: 's-1',
        permissions: ['jobs', 'read'],
        imagesPerDay: 100,
        expiresSecs: Date.UTC(2027, 0, 31, 16) / 1000,
        disabled: true,
        removedSecs: Date.UTC(2026, 10, 23) / 1000,
      },
    ]);
  });

  it('uses the name as the id of a token without an id', () => {
    expect(parseTokens(withLine(''))[0]?.id).toBe('alice');
  });

  it('accepts the name of a removed token for a new token', () => {
    const removed = withLine('id = "a-1"\nremoved = 2026-11-23');
    const anew = `[[token]]\nid = "a-2"\n${ALICE.replaceAll('ab', 'cd')}`;

    expect(parseTokens(removed + anew)).toMatchObject([{ id: 'a-1' }, { id: 'a-2' }]);
  });

  it('grants all permissions except admin by default', () => {
    const [token] = parseTokens(withLine(''));

    expect(token?.permissions).toEqual(DEFAULT_PERMISSIONS);
    expect(token?.permissions).not.toContain('admin');
  });

  it('reads a date as midnight in UTC', () => {
    const [token] = parseTokens(withLine('expires = 2027-01-31'));

    expect(token?.expiresSecs).toBe(Date.UTC(2027, 0, 31) / 1000);
  });

  it('finds no token in an empty file', () => {
    expect(parseTokens('')).toEqual([]);
  });

  it.each([
    ['a half-written file', `[[token]]\nname = "al`, /line 2 is not valid TOML/],
    ['a missing field', '[[token]]\nname = "alice"', /token\[0\]\.sha256 is missing/],
    ['an unknown field', withLine('perms = []'), /token\[0\]\.perms is not a known field/],
    ['an unknown table', '[tokens]', /tokens is not a known field/],
    ['a token that is no table', 'token = 5', /token must be tables/],
    ['a bad name', withLine('').replace('alice', '-alice'), /token\[0\]\.name must be/],
    ['a bad id', withLine('id = "a b"'), /token\[0\]\.id must be/],
    ['a bad digest', withLine('').replace(SHA256, 'AB'), /token\[0\]\.sha256 must be 64/],
    ['a bad scope', withLine('').replace('s-1', 'a b'), /token\[0\]\.scope must be/],
    [
      'the scope of jobs without an owner',
      withLine('').replace('s-1', 'legacy-unowned'),
      /scope must not be/,
    ],
    ['an unknown permission', withLine('permissions = ["all"]'), /permissions\[0\] must be/],
    ['permissions that are no list', withLine('permissions = "all"'), /permissions must be/],
    ['a negative allowance', withLine('images_per_day = -1'), /images_per_day must be/],
    ['a broken allowance', withLine('images_per_day = 1.5'), /images_per_day must be/],
    [
      'a budget that is no amount',
      withLine('budget_per_day = 0.5'),
      /budget_per_day must be an amount/,
    ],
    [
      'a negative budget',
      withLine('budget_per_month = "-1"'),
      /budget_per_month must be an amount/,
    ],
    [
      'an unknown cost that is no amount',
      withLine('unknown_cost = "allow"'),
      /unknown_cost must be/,
    ],
    ['a time that is text', withLine('expires = "2027-01-31"'), /expires must be a date/],
    ['a time without an offset', withLine('expires = 2027-01-31T18:00:00'), /expires must be/],
    ['a time of day', withLine('expires = 18:00:00'), /expires must be/],
    ['a removal that is no time', withLine('removed = true'), /removed must be a date/],
    ['a text that is too long', `# ${'x'.repeat(262_144)}`, /must be at most 262144 bytes long/],
    ['a state that is text', withLine('disabled = "yes"'), /disabled must be true or false/],
    [
      'two equal names',
      `${withLine('')}[[token]]\n${ALICE.replaceAll('ab', 'cd')}`,
      /token\[1\]\.name is a duplicate/,
    ],
    [
      'an id that is the name of a token without an id',
      `${withLine('')}[[token]]\nid = "alice"\n${ALICE.replace('alice', 'bob').replaceAll('ab', 'cd')}`,
      /token\[1\]\.id is a duplicate/,
    ],
    [
      'two equal digests',
      `${withLine('')}[[token]]\n${ALICE.replace('alice', 'bob')}`,
      /token\[1\]\.sha256 is a duplicate/,
    ],
  ])('rejects %s', (_what, text, message) => {
    expect(() => parseTokens(text)).toThrow(message);
    expect(() => parseTokens(text)).toThrow(/^server\.tokens_file: /);
  });
});

describe('toTokensText', () => {
  it('writes a text that parseTokens reads', () => {
    const tokens = parseTokens(
      `${withLine('budget_per_day = "2.5"\nbudget_per_month = 40\nunknown_cost = "0.1"\nimages_per_day = 3\nexpires = 2027-01-31\ndisabled = true\nremoved = 2026-11-23')}[[token]]\n${ALICE.replace('alice', 'bob').replaceAll('ab', 'cd')}`,
    );

    expect(parseTokens(toTokensText(tokens))).toEqual(tokens);
    expect(parseTokens(toTokensText([]))).toEqual([]);
  });

  it('writes the name as the id of a token that had no id', () => {
    const renamed = toTokensText(parseTokens(withLine(''))).replace(
      'name = "alice"',
      'name = "eve"',
    );

    expect(parseTokens(renamed)).toMatchObject([{ id: 'alice', name: 'eve' }]);
  });
});
