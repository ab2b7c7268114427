import * as v from 'valibot';
import { parseToml, toToml } from '../config/sources/toml.ts';
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../contract/request/caller.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { Token } from './token.ts';

/** The form of a token's name. */
export const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Some milliseconds of parsing, and a thousand tokens. */
export const MAX_BYTES = 262_144;

const HEADING = '# Written by image-bridge tokens, which keeps no other comments.\n\n';

const NAME_MESSAGE = 'must be 1 to 64 of A-Z a-z 0-9 . _ -, a letter or digit first';
const SCOPE_MESSAGE = 'must be 1 to 128 of A-Z a-z 0-9 . _ -';
const SHA256_MESSAGE = 'must be 64 hexadecimal digits in lower case';
const PERMISSIONS_MESSAGE = `must be a list of ${PERMISSIONS.join(', ')}`;
const COUNT_MESSAGE = 'must be a whole number from 0 to 2^53 − 1';
const TIME_MESSAGE =
  'must be a date, or a time with its offset, such as 2027-01-31 or 2027-01-31T18:00:00Z';

// The jobs of a database from before there were owners: no caller may see them.
const OWNERLESS = 'legacy-unowned';

const Scope = v.pipe(
  v.string(SCOPE_MESSAGE),
  v.regex(/^[A-Za-z0-9._-]{1,128}$/, SCOPE_MESSAGE),
  v.notValue(OWNERLESS, 'must not be that of jobs without an owner'),
);

const Count = v.pipe(
  v.bigint(COUNT_MESSAGE),
  v.check((count) => count >= 0n && count <= BigInt(Number.MAX_SAFE_INTEGER), COUNT_MESSAGE),
  v.transform(Number),
);

/** TOML's own times: one without an offset could be meant anywhere, and a date begins at midnight in UTC. */
const Time = v.pipe(
  v.date(TIME_MESSAGE),
  v.check((time) => !isLocalTime(time), TIME_MESSAGE),
  v.transform((time) => Math.floor(time.getTime() / 1000)),
);

function isLocalTime(time: Date): boolean {
  // What the parser makes has these methods beside those of a Date.
  const { isLocal, isDate } = time as Partial<Record<'isLocal' | 'isDate', () => boolean>>;
  return isLocal?.call(time) === true && isDate?.call(time) !== true;
}

const Name = v.pipe(v.string(NAME_MESSAGE), v.regex(TOKEN_NAME, NAME_MESSAGE));

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
  expires: v.optional(Time),
  disabled: v.optional(v.boolean('must be true or false'), false),
  removed: v.optional(Time),
});

const File = v.strictObject({ token: v.optional(v.array(Row, 'must be tables'), []) });

/** The tokens of a file's text. Throws `configuration`, which names the first field at fault and never its value. */
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
      expires: expiresSecs,
      removed: removedSecs,
      ...row
    }): Token => ({
      // The name was the identity before tokens had ids: usage and jobs from that time belong to it.
      id: id ?? row.name,
      ...row,
      ...(imagesPerDay === undefined ? {} : { imagesPerDay }),
      ...(expiresSecs === undefined ? {} : { expiresSecs }),
      ...(removedSecs === undefined ? {} : { removedSecs }),
    }),
  );
  for (const member of ['name', 'id', 'sha256'] as const) refuseEqual(tokens, member);
  return tokens;
}

/** Text that `parseTokens` reads back. */
export function toTokensText(tokens: readonly Token[]): string {
  const rows = tokens.map(({ imagesPerDay, expiresSecs, removedSecs, disabled, ...row }) => ({
    ...row,
    images_per_day: imagesPerDay,
    expires: toTime(expiresSecs),
    disabled: disabled || undefined,
    removed: toTime(removedSecs),
  }));
  return `${HEADING}${toToml(rows.length === 0 ? {} : { token: rows })}`;
}

function toTime(secs: number | undefined): Date | undefined {
  return secs === undefined ? undefined : new Date(secs * 1000);
}

/** The name of a removed token may be used again; the new token is another identity. */
function refuseEqual(tokens: readonly Token[], member: 'id' | 'name' | 'sha256'): void {
  const seen = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (member === 'name' && token.removedSecs !== undefined) continue;
    if (seen.has(token[member])) throw unusable(`token[${index}].${member} stands there twice`);
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
  return unusable(`it is longer than ${MAX_BYTES} bytes`);
}

/** An error of the tokens file; the reason completes "the file …" or names what is in it. */
export function unusable(reason: string): BridgeError {
  return new BridgeError('configuration', `server.tokens_file: ${reason}`);
}
