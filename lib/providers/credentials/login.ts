import * as v from 'valibot';
import { type Credentials, createCredentials } from './credentials.ts';

/** What a login file holds. It stays in this folder: unlike its credentials, it shows its secrets. */
export interface Login {
  readonly credentials: Credentials;
  /** Undefined in a login that cannot be renewed. */
  readonly refreshToken: string | undefined;
  /** All of the file, what the bridge does not know included. */
  readonly document: JsonObject;
}

/** What the token endpoint gives; where it says nothing, the old one stays. */
export interface FreshTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

const MAX_TOKEN_CHARS = 65_536;
const MAX_ACCOUNT_CHARS = 256;

// Both go into a header: nothing but visible ASCII may, least of all the end of a line.
const VISIBLE = /^[\x21-\x7e]+$/;

/** A token of any kind; its inside is its issuer's business. */
export const TokenText = v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARS), v.regex(VISIBLE));

const AccountId = v.pipe(v.string(), v.maxLength(MAX_ACCOUNT_CHARS), v.regex(VISIBLE));

/** The name of an account's plan. */
const PlanType = v.pipe(v.string(), v.regex(/^[a-z0-9_-]{1,64}$/));

// Deeper than any login, and far from where writing it back would overflow the stack.
const MAX_DEPTH = 64;

/** Older programs did not write the mode; any other one than this has tokens of another kind, or none. */
const LoginDocument = v.object({
  auth_mode: v.nullish(v.literal('chatgpt')),
  tokens: v.object({
    access_token: TokenText,
    refresh_token: v.nullish(TokenText),
    id_token: v.fallback(v.nullish(TokenText), undefined),
    account_id: v.nullish(AccountId),
  }),
});

/** The login in the value of a login file; undefined when it holds none that the bridge could use and write back. */
export function parseLogin(value: unknown): Login | undefined {
  const parsed = v.safeParse(LoginDocument, value);
  if (!parsed.success || !isObject(value) || !isShallow(value, MAX_DEPTH)) return undefined;
  const { tokens } = parsed.output;
  const access = readClaims(tokens.access_token);
  const identity = readClaims(tokens.id_token ?? '');
  const accountId = tokens.account_id ?? identity.accountId ?? access.accountId;
  const planType = identity.planType ?? access.planType;
  const { expiresAtMs } = access;
  return {
    credentials: createCredentials({
      accessToken: tokens.access_token,
      accountId,
      planType,
      expiresAtMs,
    }),
    refreshToken: tokens.refresh_token ?? undefined,
    document: value,
  };
}

/** The value of a login file with these tokens in it, and all else as it was. */
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

/** What the bridge reads from a token (providers.md, "Credentials"). */
interface TokenClaims {
  readonly expiresAtMs: number | undefined;
  readonly accountId: string | undefined;
  /** The plan of the account, such as `pro`. */
  readonly planType: string | undefined;
}

const ACCOUNT_CLAIMS = 'https://api.openai.com/auth';

// ECMA-262, 21.4.1.1: no point in time lies further away.
const MAX_SECS = 8.64e12;

/** One claim that makes no sense must not hide the other. */
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
 * The claims of a JSON Web Token (RFC 7519). They are hints to its bearer, no proof: the signature is not checked, and
 * from a text that is no such token nothing is read.
 */
export function readClaims(token: string): TokenClaims {
  const parsed = v.safeParse(Claims, decodePayload(token));
  if (!parsed.success) {
    return { expiresAtMs: undefined, accountId: undefined, planType: undefined };
  }
  const { exp, [ACCOUNT_CLAIMS]: account } = parsed.output;
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
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
