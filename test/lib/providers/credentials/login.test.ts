import { describe, expect, it } from 'vitest';
import { parseLogin, readClaims, withTokens } from '../../../../lib/providers/credentials/login.ts';
import { ACCOUNT, loginOf, tokensOf, unsignedJwt } from './logins.ts';

const TOKENS = tokensOf(1);
const AUTH = 'https://api.openai.com/auth';
const FRESH = { accessToken: 'a2', refreshToken: 'r2', idToken: 'i2' };

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

describe('parseLogin', () => {
  it('accepts a login that the agent writes', () => {
    const login = parseLogin(loginOf(TOKENS));

    expect(login?.refreshToken).toBe(TOKENS.refresh_token);
    expect(login?.credentials.accessToken).toBe(TOKENS.access_token);
    expect(login?.credentials.accountId).toBe(ACCOUNT);
    expect(login?.credentials.expiresAtMs).toBeGreaterThan(Date.now());
  });

  it.each([
    ['the file', { account_id: 'file' }, 'file'],
    ['the id token when the file names none', { account_id: null }, 'id'],
    ['the access token when the id token names none', { id_token: 'x' }, 'access'],
    ['the access token if there is no id token', { id_token: undefined }, 'access'],
    ['nothing if no token contains an account', { id_token: 7, access_token: 'opaque' }, undefined],
  ])('reads the account from %s', (_what, tokens, expected) => {
    const all = {
      id_token: unsignedJwt({ [AUTH]: { chatgpt_account_id: 'id' } }),
      access_token: unsignedJwt({ [AUTH]: { chatgpt_account_id: 'access' } }),
    };

    const login = parseLogin({ auth_mode: 'chatgpt', tokens: { ...all, ...tokens } });

    expect(login?.credentials.accountId).toBe(expected);
  });

  it.each([
    ['without a mode, as older programs wrote it', { auth_mode: undefined }],
    ['with an API key beside it', { OPENAI_API_KEY: 'sk' }],
    ['with a bad last refresh', { last_refresh: 7 }],
    ['with unknown members', { agent_identity: { a: [1] } }],
  ])('accepts a login %s', (_what, more) => {
    expect(parseLogin({ ...loginOf(TOKENS), ...more })).toBeDefined();
  });

  it.each([
    ['an access token that is not a JWT', { access_token: 'opaque' }],
    ['no refresh token', { refresh_token: undefined }],
    ['a refresh token of null', { refresh_token: null }],
  ])('accepts tokens with %s', (_what, more) => {
    expect(parseLogin(loginOf({ ...TOKENS, ...more }))).toBeDefined();
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'login'],
    ['a list', []],
    ['a list of a login', [loginOf(TOKENS)]],
    ['nothing at all', {}],
    ['another mode', { ...loginOf(TOKENS), auth_mode: 'apikey' }],
    ['a mode that is not a string', { ...loginOf(TOKENS), auth_mode: 1 }],
    ['tokens of null', { auth_mode: 'chatgpt', tokens: null }],
    ['tokens that are a list', { auth_mode: 'chatgpt', tokens: [TOKENS] }],
    ['no access token', loginOf({ refresh_token: 'r' })],
    ['an empty access token', loginOf({ ...TOKENS, access_token: '' })],
    ['an access token that is a number', loginOf({ ...TOKENS, access_token: 5 })],
    ['an access token with a line break', loginOf({ ...TOKENS, access_token: 'a\r\nx: y' })],
    ['an access token with a NUL', loginOf({ ...TOKENS, access_token: 'a\0b' })],
    ['an access token that is not ASCII', loginOf({ ...TOKENS, access_token: 'ä' })],
    ['an access token that is too long', loginOf({ ...TOKENS, access_token: 'a'.repeat(65_537) })],
    ['a refresh token that is an object', loginOf({ ...TOKENS, refresh_token: {} })],
    ['an account that is a number', { tokens: { ...TOKENS, account_id: 5 } }],
    ['an account with a line break', { tokens: { ...TOKENS, account_id: 'a\nb' } }],
    ['members too deep to be written back', { ...loginOf(TOKENS), deep: nested(100) }],
    [
      'tokens in the prototype',
      JSON.parse(`{"auth_mode":"chatgpt","__proto__":{"tokens":${JSON.stringify(TOKENS)}}}`),
    ],
  ])('returns undefined for %s', (_what, value) => {
    expect(parseLogin(value)).toBeUndefined();
  });
});

describe('withTokens', () => {
  it('replaces the tokens and the time and keeps all other members in order', () => {
    const document = {
      first: [1, { two: null }],
      ...loginOf({ ...TOKENS, extra: 'kept' }),
      last: true,
    };

    const written = withTokens(parseLogin(document)!, FRESH, 1_800_000_000_000);

    expect(written).toEqual({
      ...document,
      tokens: {
        id_token: 'i2',
        access_token: 'a2',
        refresh_token: 'r2',
        extra: 'kept',
        account_id: ACCOUNT,
      },
      last_refresh: '2027-01-15T08:00:00.000Z',
    });
    expect(Object.keys(written)).toEqual(Object.keys(document));
  });

  it('keeps tokens that the reply does not contain', () => {
    const fresh = { accessToken: 'a2', refreshToken: undefined, idToken: undefined };

    const written = withTokens(parseLogin(loginOf(TOKENS))!, fresh, 0);

    expect(written['tokens']).toEqual({ ...TOKENS, access_token: 'a2', account_id: ACCOUNT });
  });

  it('keeps a member called __proto__ as a member', () => {
    const text = JSON.stringify(loginOf(TOKENS)).replace('{', '{"__proto__":{"x":1},');

    const written = withTokens(parseLogin(JSON.parse(text))!, FRESH, 0);

    expect(JSON.stringify(written)).toContain('"__proto__":{"x":1}');
    expect(Object.getPrototypeOf(written)).toBe(Object.prototype);
  });
});

const NOTHING = { expiresAtMs: undefined, accountId: undefined, planType: undefined };
function part(text: string | Buffer): string {
  return Buffer.from(text).toString('base64url');
}

describe('readClaims', () => {
  it('returns only the expiry, the account and the plan', () => {
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
  ])('accepts %s as an expiry', (_what, claims, expiresAtMs) => {
    expect(readClaims(unsignedJwt(claims))).toEqual({ ...NOTHING, expiresAtMs });
  });

  it.each([
    ['an expiry in words', { exp: '1900000000' }],
    ['an expiry beyond all dates', { exp: 8.7e12 }],
    ['an account that is not a string', { [AUTH]: { chatgpt_account_id: 5 } }],
    ['an account that is empty', { [AUTH]: { chatgpt_account_id: '' } }],
    ['an account with a line break', { [AUTH]: { chatgpt_account_id: 'a\r\nx: y' } }],
    ['an account with a NUL', { [AUTH]: { chatgpt_account_id: 'a\0' } }],
    ['an account that is not ASCII', { [AUTH]: { chatgpt_account_id: 'ä' } }],
    ['an account that is too long', { [AUTH]: { chatgpt_account_id: 'a'.repeat(257) } }],
    ['a plan that is not a name', { [AUTH]: { chatgpt_plan_type: 'Pro plan' } }],
    ['account claims that are a list', { [AUTH]: ['acc-1'] }],
    ['claims that are a list', [1]],
    ['claims that are a text', 'exp'],
    ['no claims', null],
  ])('takes nothing from %s', (_what, claims) => {
    expect(readClaims(unsignedJwt(claims))).toEqual(NOTHING);
  });

  it('keeps a valid claim beside an invalid one', () => {
    const noExpiry = unsignedJwt({ exp: [], [AUTH]: { chatgpt_account_id: 'acc-1' } });
    const noAccount = unsignedJwt({ exp: 5, [AUTH]: 7 });

    expect(readClaims(noExpiry)).toEqual({ ...NOTHING, accountId: 'acc-1' });
    expect(readClaims(noAccount)).toEqual({ ...NOTHING, expiresAtMs: 5000 });
  });

  it('ignores the prototype of the claims', () => {
    const payload = part(`{"__proto__":{"exp":5,"${AUTH}":{"chatgpt_account_id":"acc-1"}}}`);

    expect(readClaims(`a.${payload}.b`)).toEqual(NOTHING);
  });

  it.each([
    ['an empty text', ''],
    ['a text without dots', 'abc'],
    ['two parts', `a.${part('{"exp":5}')}`],
    ['five parts, as an encrypted token has', `a.${part('{"exp":5}')}.c.d.e`],
    ['a payload that is not base64', 'a.!!!.c'],
    ['a payload that is not JSON', `a.${part('{"exp":')}.c`],
    ['a payload that is not UTF-8', `a.${part(Buffer.from([0xff, 0xfe, 0x00]))}.c`],
    ['a payload nested deeply', `a.${part('['.repeat(20_000) + ']'.repeat(20_000))}.c`],
    ['a token of more than 64 KiB', `a.${part(`{"exp":5,"x":"${'y'.repeat(65_536)}"}`)}.c`],
  ])('takes nothing from %s', (_what, token) => {
    expect(readClaims(token)).toEqual(NOTHING);
  });
});
