import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Amount, amountText, parseAmount } from '../../../lib/contract/reply/cost.ts';
import {
  DEFAULT_PERMISSIONS,
  PERMISSIONS,
  type Permission,
} from '../../../lib/contract/request/caller.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { nowSecs, systemClock } from '../../../lib/platform/clock.ts';
import { saveFile } from '../../../lib/platform/durable-file.ts';
import { createIds } from '../../../lib/platform/ids.ts';
import type { Token } from '../../../lib/tokens/token.ts';
import { readTokens } from '../../../lib/tokens/token-file.ts';
import { parseTokens, toTokensText, unusable } from '../../../lib/tokens/tokens-text.ts';
import { type FileLock, waitForFileLock } from '../../server/locks/file-lock.ts';
import type { CommandIo } from '../command-io.ts';
import type { Call } from '../command-table/command.ts';
import type { ConfigurationOptions, JsonOption } from '../command-table/options.ts';
import { fileReason } from '../files.ts';
import { printJson, printTable, toDate } from '../print.ts';
import { withConfig } from '../with-config.ts';

type TokensCall<Options = unknown> = Call<unknown, ConfigurationOptions & Options>;
type TokenCall<Options = unknown> = Call<{ readonly name: string }, ConfigurationOptions & Options>;

interface AddOptions {
  readonly permissions: readonly string[];
  readonly imagesPerDay: number | undefined;
  readonly budgetPerDay: string | undefined;
  readonly budgetPerMonth: string | undefined;
  readonly unknownCost: string | undefined;
  readonly expires: string | undefined;
}

// The maximum time to wait for the lock. A change takes milliseconds, but a script may make many changes at once.
const MAX_WAIT_MS = 10_000;
// The time for which removal marks are kept. A bridge that was stopped for a shorter time still finds the marks.
const MARK_SECS = 30 * 86_400;
// The maximum number of removal marks, so that programs that often add and remove tokens do not fill the file.
const MAX_MARKS = 128;

const { newOpaqueId } = createIds(systemClock.nowMs);

/** Adds a token and prints its secret. Resolves with the exit code. */
export function runTokensAdd(call: TokenCall<AddOptions>): Promise<number> {
  const { args, options, io } = call;
  const { secret, sha256 } = newSecret();
  const add = (tokens: readonly Token[]) => {
    if (tokens.some((token) => isNamed(token, args.name))) {
      throw refused(
        'a token with this name already exists; to replace its secret, use: image-bridge tokens rotate',
      );
    }
    const added: Token = {
      id: newOpaqueId(),
      name: args.name,
      sha256,
      scope: newOpaqueId(),
      permissions: toPermissions(options.permissions),
      ...(options.imagesPerDay === undefined ? {} : { imagesPerDay: options.imagesPerDay }),
      ...toBudget(options),
      ...(options.expires === undefined ? {} : { expiresSecs: toSecs(options.expires) }),
      disabled: false,
    };
    return [...tokens, added];
  };
  return changeTokens(call, add, () => printSecret(secret, io));
}

/** Replaces the secret of a token and prints the new secret. The token keeps its owner and id. Resolves with the exit code. */
export function runTokensRotate(call: TokenCall): Promise<number> {
  const { secret, sha256 } = newSecret();
  return changeToken(
    call,
    (token) => ({ ...token, sha256 }),
    () => printSecret(secret, call.io),
  );
}

export function runTokensDisable(call: TokenCall): Promise<number> {
  return changeToken(
    call,
    (token) => ({ ...token, disabled: true }),
    () => call.io.stdout(`Disabled ${call.args.name}.\n`),
  );
}

export function runTokensRemove(call: TokenCall): Promise<number> {
  return changeToken(
    call,
    // If a row has a removal mark, the bridge cancels the queued and running work of the token. A missing row is not enough,
    // because a row may be lost by accident.
    ({ id, name, sha256, scope }) => ({
      id,
      name,
      sha256,
      scope,
      permissions: [],
      disabled: false,
      removedSecs: nowSecs(systemClock),
    }),
    () => call.io.stdout(`Removed ${call.args.name}.\n`),
  );
}

export function runTokensList(call: TokensCall<JsonOption>): Promise<number> {
  const { options, io } = call;
  return withConfig(call, ({ server }) => {
    const tokens = readTokens(pathOf(server, io)).filter(isInUse);
    if (options.json) printJson(tokens.map(toJson), io);
    else printTable(HEADINGS, tokens.map(toRow), io);
    return 0;
  });
}

const HEADINGS = [
  'NAME',
  'STATE',
  'IMAGES/DAY',
  'BUDGET/DAY',
  'BUDGET/MONTH',
  'EXPIRES',
  'PERMISSIONS',
] as const;

function toJson({ id, name, scope, permissions, disabled, ...optional }: Token): object {
  const { imagesPerDay: images_per_day, expiresSecs: expires } = optional;
  return {
    id,
    name,
    scope,
    permissions,
    images_per_day,
    budget_per_day: toText(optional.budgetPerDay),
    budget_per_month: toText(optional.budgetPerMonth),
    unknown_cost: toText(optional.unknownCost),
    expires,
    disabled,
  };
}

function toRow({ name, permissions, imagesPerDay, expiresSecs, disabled, ...rest }: Token) {
  const budgets = [rest.budgetPerDay, rest.budgetPerMonth].map((amount) => toText(amount) ?? '');
  const isOver = expiresSecs !== undefined && expiresSecs <= nowSecs(systemClock);
  const state = disabled ? 'disabled' : isOver ? 'expired' : 'valid';
  const expires = expiresSecs === undefined ? '' : toDate(expiresSecs);
  return [name, state, String(imagesPerDay ?? ''), ...budgets, expires, permissions.join(' ')];
}

function toText(amount: Amount | undefined): string | undefined {
  return amount === undefined ? undefined : amountText(amount);
}

/** Replaces the token that has the given name with the result of `change`. Calls `done` when the file is replaced. */
function changeToken(
  call: TokenCall,
  change: (token: Token) => Token,
  done: () => void,
): Promise<number> {
  const { name } = call.args;
  const changeAll = (tokens: readonly Token[]) => {
    if (!tokens.some((token) => isNamed(token, name))) {
      throw refused('no token with this name exists');
    }
    return tokens.map((token) => (isNamed(token, name) ? change(token) : token));
  };
  return changeTokens(call, changeAll, done);
}

/**
 * Changes the tokens and replaces the whole file atomically, so that the bridge never reads a partial file. Calls `done` when
 * the file is replaced.
 */
function changeTokens(
  call: TokensCall,
  change: (tokens: readonly Token[]) => readonly Token[],
  done: () => void,
): Promise<number> {
  return withConfig(call, async ({ server }) => {
    const path = pathOf(server, call.io);
    const lock = await lockTokens(path);
    try {
      const tokens = change(existsSync(path) ? readTokens(path) : []);
      const text = toTokensText(withoutOldMarks(tokens));
      // Throws before the file is written if the bridge would reject the new text.
      parseTokens(text);
      await saveFile(path, text, { replaces: true, mode: 0o600 });
      done();
      return 0;
    } catch (error) {
      if (error instanceof BridgeError) throw error;
      throw unusable(`cannot be written: ${fileReason(error)}`);
    } finally {
      lock.release();
    }
  });
}

function isInUse({ removedSecs }: Token): boolean {
  return removedSecs === undefined;
}

function isNamed(token: Token, name: string): boolean {
  return isInUse(token) && token.name === name;
}

/** Returns the tokens without expired removal marks. If more than `MAX_MARKS` marks remain, also omits the oldest marks. */
function withoutOldMarks(tokens: readonly Token[]): readonly Token[] {
  const oldest = nowSecs(systemClock) - MARK_SECS;
  const marks = tokens.flatMap(({ removedSecs }) => removedSecs ?? []).sort((a, b) => b - a);
  const since = Math.max(oldest, marks[MAX_MARKS - 1] ?? oldest);
  return tokens.filter(({ removedSecs = since }) => removedSecs >= since);
}

/** Locks the tokens file, because without a lock one of two simultaneous changes would be lost. */
async function lockTokens(path: string): Promise<FileLock> {
  const lockPath = `${path}.lock`;
  try {
    const lock = await waitForFileLock(lockPath, { clock: systemClock, forMs: MAX_WAIT_MS });
    if (lock) return lock;
  } catch (error) {
    throw unusable(`the lock file ${lockPath} cannot be locked: ${fileReason(error)}`);
  }
  const waited = `${MAX_WAIT_MS / 1000} s`;
  throw unusable(`another command has held the lock file ${lockPath} for more than ${waited}`);
}

function pathOf(
  { tokens_file: path }: { readonly tokens_file: string | undefined },
  io: CommandIo,
): string {
  if (path === undefined) throw unusable('must be set to the path of the tokens file');
  return resolve(io.cwd, path);
}

function toPermissions(given: readonly string[]): readonly Permission[] {
  const names = given.flatMap((text) => text.split(','));
  if (names.length === 0) return DEFAULT_PERMISSIONS;
  const permissions = PERMISSIONS.filter((permission) => names.includes(permission));
  if (new Set(names).size === permissions.length) return permissions;
  throw refused(`--permissions must be a list of ${PERMISSIONS.join(', ')}`);
}

/** Returns the members of a token that limit its spending. */
function toBudget(options: AddOptions): Partial<Token> {
  const { budgetPerDay, budgetPerMonth, unknownCost } = options;
  return {
    ...withAmount('budgetPerDay', budgetPerDay, '--budget-per-day'),
    ...withAmount('budgetPerMonth', budgetPerMonth, '--budget-per-month'),
    ...withAmount('unknownCost', unknownCost, '--unknown-cost'),
  };
}

function withAmount(member: keyof Token, text: string | undefined, option: string) {
  if (text === undefined) return {};
  const amount = parseAmount(text);
  if (amount !== undefined) return { [member]: amount };
  throw refused(
    `${option} must be an amount in US dollars, such as 2.50, with at most 10 decimals`,
  );
}

function toSecs(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const ms = isTime && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return Math.floor(ms / 1000);
  throw refused('--expires must be a date, or a time such as 2027-01-31T18:00:00Z');
}

/** Returns false for dates such as 30 February, which `Date` converts to a day in March. */
function isDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Creates a token with 256 random bits. */
function newSecret(): { readonly secret: string; readonly sha256: string } {
  const secret = `ib_${newOpaqueId()}${newOpaqueId()}`;
  return { secret, sha256: createHash('sha256').update(secret).digest('hex') };
}

function printSecret(secret: string, { stdout, stderr }: CommandIo): void {
  stdout(`${secret}\n`);
  stderr('Save the token now. The token is not shown again.\n');
}

function refused(message: string): BridgeError {
  return new BridgeError('configuration', message);
}
