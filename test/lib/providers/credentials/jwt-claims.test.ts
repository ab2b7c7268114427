import { describe, expect, it } from 'vitest';
import { readClaims } from '../../../../lib/providers/credentials/jwt-claims.ts';
import { unsignedJwt } from './logins.ts';

const NOTHING = { expiresAtMs: undefined, accountId: undefined, planType: undefined };
const AUTH = 'https://api.openai.com/auth';

function part(text: string | Buffer): string {
  return Buffer.from(text).toString('base64url');
}

describe('readClaims', () => {
  it('reads expiry, account and plan, and nothing else', () => {
    const token = unsignedJwt({
      exp: 1_900_000_000,
      email: 'a@b.c',
      [AUTH]: { chatgpt_account_id: 'acc-1', chatgpt_plan_type: 'pro' },
    });

    expect(readClaims(token)).toEqual({
      expiresAtMs: 1_900_000_000_000,
      accountId: 'acc-1',
      planType: 'pro',
    });
  });

  it.each([
    ['a fraction of a second', { exp: 1.5 }, 1500],
    ['a time long past', { exp: -1 }, -1000],
    ['zero', { exp: 0 }, 0],
  ])('takes %s as an expiry', (_what, claims, expiresAtMs) => {
    expect(readClaims(unsignedJwt(claims))).toEqual({ ...NOTHING, expiresAtMs });
  });

  it.each([
    ['an expiry in words', { exp: '1900000000' }],
    ['an expiry beyond all dates', { exp: 8.7e12 }],
    ['an account that is no text', { [AUTH]: { chatgpt_account_id: 5 } }],
    ['an account that is empty', { [AUTH]: { chatgpt_account_id: '' } }],
    ['an account with a line break', { [AUTH]: { chatgpt_account_id: 'a\r\nx: y' } }],
    ['an account with a NUL', { [AUTH]: { chatgpt_account_id: 'a\0' } }],
    ['an account that is not ASCII', { [AUTH]: { chatgpt_account_id: 'ä' } }],
    ['an account that is too long', { [AUTH]: { chatgpt_account_id: 'a'.repeat(257) } }],
    ['a plan that is no name', { [AUTH]: { chatgpt_plan_type: 'Pro plan' } }],
    ['account claims that are a list', { [AUTH]: ['acc-1'] }],
    ['claims that are a list', [1]],
    ['claims that are a text', 'exp'],
    ['no claims', null],
  ])('takes nothing from %s', (_what, claims) => {
    expect(readClaims(unsignedJwt(claims))).toEqual(NOTHING);
  });

  it('keeps one claim when the other makes no sense', () => {
    const noExpiry = unsignedJwt({ exp: [], [AUTH]: { chatgpt_account_id: 'acc-1' } });
    const noAccount = unsignedJwt({ exp: 5, [AUTH]: 7 });

    expect(readClaims(noExpiry)).toEqual({ ...NOTHING, accountId: 'acc-1' });
    expect(readClaims(noAccount)).toEqual({ ...NOTHING, expiresAtMs: 5000 });
  });

  it('takes nothing from the prototype of the claims', () => {
    const payload = part(`{"__proto__":{"exp":5,"${AUTH}":{"chatgpt_account_id":"acc-1"}}}`);

    expect(readClaims(`a.${payload}.b`)).toEqual(NOTHING);
  });

  it.each([
    ['an empty text', ''],
    ['a text without dots', 'abc'],
    ['two parts', `a.${part('{"exp":5}')}`],
    ['five parts, as an encrypted token has', `a.${part('{"exp":5}')}.c.d.e`],
    ['a payload that is no base64', 'a.!!!.c'],
    ['a payload that is no JSON', `a.${part('{"exp":')}.c`],
    ['a payload that is not UTF-8', `a.${part(Buffer.from([0xff, 0xfe, 0x00]))}.c`],
    ['a payload nested deeply', `a.${part('['.repeat(20_000) + ']'.repeat(20_000))}.c`],
    ['a token of more than 64 KiB', `a.${part(`{"exp":5,"x":"${'y'.repeat(65_536)}"}`)}.c`],
  ])('takes nothing from %s', (_what, token) => {
    expect(readClaims(token)).toEqual(NOTHING);
  });
});
