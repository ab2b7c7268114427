import * as v from 'valibot';
import { type Credentials, createCredentials } from './credentials.ts';
import { readClaims } from './jwt-claims.ts';
import { AccountId, TokenText } from './token-text.ts';

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
