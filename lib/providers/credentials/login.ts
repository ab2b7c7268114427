import * as v from 'valibot';
import { parseJson } from '../../platform/parse-json.ts';
import { type Credentials, createCredentials } from './credentials.ts';

/**
 * The content of a login file. A `Login` is used only in this folder because its secrets are enumerable, unlike the
 * secrets of `Credentials`.
 */
export interface Login {
  readonly credentials: Credentials;
  /** Undefined if the login cannot be renewed. */
  readonly refreshToken: string | undefined;
  /** The whole document, including members that the bridge does not know. */
  readonly document: JsonObject;
}

/** The tokens in a reply of the token endpoint. If a token is undefined, the old token stays valid. */
export interface FreshTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const MAX_TOKEN_CHARS = 65_536;
const MAX_ACCOUNT_CHARS = 256;

// Tokens and account ids are sent in headers, so only visible ASCII is allowed.
const VISIBLE = /^[\x21-\x7e]+$/;

/** A token of any kind. The content is defined by the issuer. */
export const TokenText = v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARS), v.regex(VISIBLE));

const AccountId = v.pipe(v.string(), v.maxLength(MAX_ACCOUNT_CHARS), v.regex(VISIBLE));

/** Name of an account's plan. */
const PlanType = v.pipe(v.string(), v.regex(/^[a-z0-9_-]{1,64}$/));

// Maximum nesting depth of a login document. Real logins are less deep, and a document of this depth cannot overflow
// the stack when it is serialized.
const MAX_DEPTH = 64;

/**
 * The document of a login that the bridge supports. `auth_mode` is optional because older programs did not write it.
 * Logins in other modes have different tokens or no tokens.
 */
const LoginDocument = v.object({
  auth_mode: v.nullish(v.literal('chatgpt')),
  tokens: v.object({
    access_token: TokenText,
    refresh_token: v.nullish(TokenText),
    id_token: v.fallback(v.nullish(TokenText), undefined),
    account_id: v.nullish(AccountId),
  }),
});

/**
 * Parses the content of a login file. Returns undefined if the content is not a login that the bridge can use and write
 * back.
 */
export function parseLogin(value: unknown): Login | undefined {
  const parsed = v.safeParse(LoginDocument, value);
  if (!parsed.success || !isObject(value) || !isShallow(value, MAX_DEPTH)) return undefined;
  const { tokens } = parsed.output;
  const access = readClaims(tokens.access_token);
  const identity = readClaims(tokens.id_token ?? '');
  return {
    credentials: createCredentials({
      accessToken: tokens.access_token,
      accountId: tokens.account_id ?? identity.accountId ?? access.accountId,
      planType: identity.planType ?? access.planType,
      expiresAtMs: access.expiresAtMs,
    }),
    refreshToken: tokens.refresh_token ?? undefined,
    document: value,
  };
}

/** Returns the content of the login file with new tokens and a new `last_refresh`. All other members are unchanged. */
export function withTokens(
  { document }: Login,
  { accessToken, refreshToken, idToken }: FreshTokens,
  nowMs: number,
): JsonObject {
  const tokens = isObject(document['tokens']) ? document['tokens'] : {};
  return {
    ...document,
    tokens: {
      ...tokens,
      ...(idToken === undefined ? {} : { id_token: idToken }),
      access_token: accessToken,
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    },
    last_refresh: new Date(nowMs).toISOString(),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1));
}

const ACCOUNT_CLAIMS = 'https://api.openai.com/auth';

// The maximum time value of a `Date` in seconds (ECMA-262, section 21.4.1.1).
const MAX_SECS = 8.64e12;

/** Each claim has a fallback, so that one invalid claim does not make the other claims unreadable. */
const Claims = v.object({
  exp: v.fallback(
    v.optional(v.pipe(v.number(), v.minValue(-MAX_SECS), v.maxValue(MAX_SECS))),
    undefined,
  ),
  [ACCOUNT_CLAIMS]: v.fallback(
    v.optional(
      v.object({
        chatgpt_account_id: v.optional(AccountId),
        chatgpt_plan_type: v.fallback(v.optional(PlanType), undefined),
      }),
    ),
    undefined,
  ),
});

/**
 * Returns the claims of a JSON Web Token (RFC 7519). All claims are undefined if the text is not such a token. The
 * claims are only hints because the signature is not verified.
 */
export function readClaims(token: string) {
  const parsed = v.safeParse(Claims, decodePayload(token));
  const { exp, [ACCOUNT_CLAIMS]: account } = parsed.success ? parsed.output : {};
  return {
    expiresAtMs: exp === undefined ? undefined : Math.floor(exp * 1000),
    accountId: account?.chatgpt_account_id,
    planType: account?.chatgpt_plan_type,
  };
}

function decodePayload(token: string): unknown {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  const [, payload, signature, ...more] = token.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return undefined;
  return parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
}
