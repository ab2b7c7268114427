import * as v from 'valibot';
import { parseToml, toToml } from '../config/sources/toml.ts';
import { type Amount, amountText, parseAmount } from '../contract/reply/cost.ts';
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../contract/request/caller.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Token } from './token.ts';

/** The pattern of a token name. */
const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * The maximum size of the tokens file. A file of this size contains about a thousand tokens and is parsed in a few
 * milliseconds.
 */
export const MAX_BYTES = 262_144;

const HEADING = '# Written by image-bridge tokens, which removes other comments.\n\n';

const NAME_MESSAGE =
  'must be 1 to 64 characters from A-Z a-z 0-9 . _ -, starting with a letter or digit';
const SCOPE_MESSAGE = 'must be 1 to 128 characters from A-Z a-z 0-9 . _ -';
const SHA256_MESSAGE = 'must be 64 lowercase hexadecimal digits';
const PERMISSIONS_MESSAGE = `must be a list of ${PERMISSIONS.join(', ')}`;
const COUNT_MESSAGE = 'must be a whole number from 0 to 2^53 − 1';
const AMOUNT_MESSAGE =
  'must be an amount in US dollars as text, such as "2.50", with at most 10 decimals';
const TIME_MESSAGE =
  'must be a date, or a time with an offset, such as 2027-01-31 or 2027-01-31T18:00:00Z';

// The scope of jobs without an owner, from older databases. No caller may see these jobs.
const OWNERLESS = 'legacy-unowned';

const Scope = v.pipe(
  v.string(SCOPE_MESSAGE),
  v.regex(/^[A-Za-z0-9._-]{1,128}$/, SCOPE_MESSAGE),
  v.notValue(OWNERLESS, `must not be ${OWNERLESS}, which is reserved for jobs without an owner`),
);

const Count = v.pipe(
  v.bigint(COUNT_MESSAGE),
  v.check((count) => count >= 0n && count <= BigInt(Number.MAX_SAFE_INTEGER), COUNT_MESSAGE),
  v.transform(Number),
);

/**
 * A TOML date or time. A time without an offset is rejected because it is ambiguous. A date means midnight UTC at its start.
 */
const Time = v.pipe(
  v.date(TIME_MESSAGE),
  v.check((time) => !isLocalTime(time), TIME_MESSAGE),
  v.transform((time) => Math.floor(time.getTime() / 1000)),
);

function isLocalTime(time: Date): boolean {
  // The parser returns a subclass of Date with these additional methods.
  const { isLocal, isDate } = time as Partial<Record<'isLocal' | 'isDate', () => boolean>>;
  return isLocal?.call(time) === true && isDate?.call(time) !== true;
}

const Name = v.pipe(v.string(NAME_MESSAGE), v.regex(TOKEN_NAME, NAME_MESSAGE));

const AmountText = v.pipe(
  v.union([v.string(), v.bigint()], AMOUNT_MESSAGE),
  v.transform((amount) => parseAmount(String(amount))),
  v.check((amount) => amount !== undefined, AMOUNT_MESSAGE),
);

const UnknownCost = v.union(
  [
    v.pipe(
      v.literal('refuse'),
      v.transform(() => undefined),
    ),
    AmountText,
  ],
  `must be "refuse", or ${AMOUNT_MESSAGE.replace('must be ', '')}`,
);

const Row = v.strictObject({
  id: v.optional(Name),
  name: Name,
  sha256: v.pipe(v.string(SHA256_MESSAGE), v.regex(/^[0-9a-f]{64}$/, SHA256_MESSAGE)),
  scope: Scope,
  permissions: v.optional(
    v.array(v.picklist(PERMISSIONS, PERMISSIONS_MESSAGE), PERMISSIONS_MESSAGE),
    [...DEFAULT_PERMISSIONS],
  ),
  images_per_day: v.optional(Count),
  budget_per_day: v.optional(AmountText),
  budget_per_month: v.optional(AmountText),
  unknown_cost: v.optional(UnknownCost),
  expires: v.optional(Time),
  disabled: v.optional(v.boolean('must be true or false'), false),
  removed: v.optional(Time),
});

const File = v.strictObject({ token: v.optional(v.array(Row, 'must be tables'), []) });

/** Parses the text of a tokens file. Throws `configuration`, which names the first invalid field and never its value. */
export function parseTokens(text: string): readonly Token[] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw tooLong();
  const reading = parseToml(text);
  if (!reading.ok) throw unusable(`line ${reading.line} ${reading.message}`);
  const parsed = v.safeParse(File, reading.table);
  if (!parsed.success) throw unusable(toSentence(parsed.issues[0]));
  const tokens = parsed.output.token.map(
    ({
      id,
      images_per_day: imagesPerDay,
      budget_per_day: budgetPerDay,
      budget_per_month: budgetPerMonth,
      unknown_cost: unknownCost,
      expires: expiresSecs,
      removed: removedSecs,
      ...row
    }): Token => ({
      // Tokens in older files have no id. The usage and the jobs of such a token are stored under its name.
      id: id ?? row.name,
      ...row,
      ...(imagesPerDay === undefined ? {} : { imagesPerDay }),
      ...(budgetPerDay === undefined ? {} : { budgetPerDay }),
      ...(budgetPerMonth === undefined ? {} : { budgetPerMonth }),
      ...(unknownCost === undefined ? {} : { unknownCost }),
      ...(expiresSecs === undefined ? {} : { expiresSecs }),
      ...(removedSecs === undefined ? {} : { removedSecs }),
    }),
  );
  for (const member of ['name', 'id', 'sha256'] as const) refuseEqual(tokens, member);
  return tokens;
}

/** Returns a text that `parseTokens` can read. */
export function toTokensText(tokens: readonly Token[]): string {
  const rows = tokens.map(({ imagesPerDay, expiresSecs, removedSecs, disabled, ...token }) => {
    const { budgetPerDay, budgetPerMonth, unknownCost, ...row } = token;
    return {
      ...row,
      images_per_day: imagesPerDay,
      budget_per_day: textOf(budgetPerDay),
      budget_per_month: textOf(budgetPerMonth),
      unknown_cost: textOf(unknownCost),
      expires: toTime(expiresSecs),
      disabled: disabled || undefined,
      removed: toTime(removedSecs),
    };
  });
  return `${HEADING}${toToml(rows.length === 0 ? {} : { token: rows })}`;
}

function textOf(amount: Amount | undefined): string | undefined {
  return amount === undefined ? undefined : amountText(amount);
}

function toTime(secs: number | undefined): Date | undefined {
  return secs === undefined ? undefined : new Date(secs * 1000);
}

/** Rejects repeated values. The name of a removed token may be reused, because the new token has another id. */
function refuseEqual(tokens: readonly Token[], member: 'id' | 'name' | 'sha256'): void {
  const seen = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (member === 'name' && token.removedSecs !== undefined) continue;
    if (seen.has(token[member])) throw unusable(`token[${index}].${member} is a duplicate`);
    seen.add(token[member]);
  }
}

function toSentence({ type, expected, message, path }: v.BaseIssue<unknown>): string {
  const keys = path?.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  const at = keys?.join('').slice(1) ?? 'it';
  if (type !== 'strict_object') return `${at} ${message}`;
  return `${at} ${expected === 'never' ? 'is not a known field' : 'is missing'}`;
}

export function tooLong(): BridgeError {
  return unusable(`must be at most ${MAX_BYTES} bytes long`);
}

/**
 * Returns the error for an unusable tokens file. `reason` completes a sentence that begins with "the file" or with the name of
 * a field.
 */
export function unusable(reason: string): BridgeError {
  return new BridgeError('configuration', `server.tokens_file: ${reason}`);
}
