import { describe, expect, it } from 'vitest';
import { parseLogin, withTokens } from '../../../../lib/providers/credentials/login.ts';
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
  it('takes what the agent writes', () => {
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
    ['the access token when there is no id token', { id_token: undefined }, 'access'],
    ['nothing when no token names one', { id_token: 7, access_token: 'opaque' }, undefined],
  ])('takes the account from %s', (_what, tokens, expected) => {
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
  ])('takes a login %s', (_what, more) => {
    expect(parseLogin({ ...loginOf(TOKENS), ...more })).toBeDefined();
  });

  it.each([
    ['an access token that is no JWT', { access_token: 'opaque' }],
    ['no refresh token', { refresh_token: undefined }],
    ['a refresh token of null', { refresh_token: null }],
  ])('takes tokens with %s', (_what, more) => {
    expect(parseLogin(loginOf({ ...TOKENS, ...more }))).toBeDefined();
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'login'],
    ['a list', []],
    ['a list of a login', [loginOf(TOKENS)]],
    ['nothing at all', {}],
    ['another mode', { ...loginOf(TOKENS), auth_mode: 'apikey' }],
    ['a mode that is no text', { ...loginOf(TOKENS), auth_mode: 1 }],
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
  ])('takes no login from %s', (_what, value) => {
    expect(parseLogin(value)).toBeUndefined();
  });
});

describe('withTokens', () => {
  it('replaces the tokens and the time, and keeps all else in its order', () => {
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

  it('keeps what the reply does not contain', () => {
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
