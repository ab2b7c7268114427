import * as v from 'valibot';

export const MAX_TOKEN_CHARS = 65_536;
const MAX_ACCOUNT_CHARS = 256;

// Both go into a header: nothing but visible ASCII may, least of all the end of a line.
const VISIBLE = /^[\x21-\x7e]+$/;

/** A token of any kind; its inside is its issuer's business. */
export const TokenText = v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARS), v.regex(VISIBLE));

export const AccountId = v.pipe(v.string(), v.maxLength(MAX_ACCOUNT_CHARS), v.regex(VISIBLE));

/** The name of an account's plan. */
export const PlanType = v.pipe(v.string(), v.regex(/^[a-z0-9_-]{1,64}$/));
