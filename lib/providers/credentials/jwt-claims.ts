import * as v from 'valibot';
import { AccountId, MAX_TOKEN_CHARS, PlanType } from './token-text.ts';

/** What the bridge reads from a token (providers.md, "Credentials"). */
export interface TokenClaims {
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
