import { amountText, type Cost, toWireCost } from '../contract/reply/cost.ts';
import type { Caller, Account as Payer } from '../contract/request/caller.ts';
import {
  MAX_USAGE_MODELS,
  MAX_USAGE_TOKENS,
  type TokenUsage,
  type UsageQuery,
  type UsageReport,
} from '../contract/resources/usage.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import { addCounts, type Counts, NO_COUNTS } from '../generation/ledger/ledger-store-port.ts';
import type { Clock } from '../platform/clock.ts';
import { DAY_MS, dateOf, today } from '../platform/days.ts';
import type {
  Balance,
  ModelUsage,
  ProviderUsage,
  TokenUsage as UsageOfToken,
  UsageStore,
} from './usage-store-port.ts';

/** The tokens that have a name. */
export interface NamedPayers {
  /** Returns the limits of a token, its name, and the time of its removal. Returns undefined if the token is not listed. */
  accountOf(
    id: string,
  ): (Payer & { readonly name: string; readonly removedSecs?: number }) | undefined;
}

interface Deps {
  readonly store: UsageStore;
  readonly tokens: NamedPayers;
  readonly clock: Clock;
}

type DayUsage = UsageReport['items'][number];

/** Creates the function that reports a caller with its limits, and the usage of its token or of all tokens. */
export function createUsageReport({ store, tokens, clock }: Deps) {
  async function reportTokens(caller: Caller, from: number, day: number): Promise<TokenUsage[]> {
    const [all, ofToday] = [await store.listTokens(from), await store.listTokens(day)];
    const rows = toTokenRows(all, ofToday, caller, tokens);
    const shown = rows.flatMap(({ id }) => id ?? []);
    const balances = await store.balances(shown, day);
    const byId = new Map(balances.map((balance) => [balance.token, balance]));
    return rows.map(({ id, row }) => {
      const account = id === undefined ? undefined : tokens.accountOf(id);
      const balance = id === undefined ? undefined : byId.get(id);
      return account && balance ? { ...row, ...toLimits(account, balance, day) } : row;
    });
  }

  /**
   * Resolves with the usage of the last `days` days, including today. Throws `permission_denied` if the caller asks for the usage
   * of all tokens without the permission `admin`.
   */
  return async function report(
    caller: Caller,
    { days, tokens: which }: UsageQuery,
  ): Promise<UsageReport> {
    const { id: token, name, permissions, expiresSecs } = caller;
    if (which === 'all') requireAdmin(caller);
    const day = today(clock);
    const from = day - days + 1;
    const span = which === 'all' ? { day: from } : { token, day: from };
    // The models are read first. Usage that is added between the two reads is then reported without its model.
    const models = await store.listModels(span);
    const items = toDays(await store.list(span), models);
    const [balance] = await store.balances([token], day);
    return {
      caller: {
        ...(name === '' ? {} : { name }),
        permissions: [...permissions],
        ...(expiresSecs === undefined ? {} : { expires: expiresSecs }),
        ...(balance && toLimits(caller, balance, day)),
      },
      items,
      ...(which === 'all' && { by_token: await reportTokens(caller, from, day) }),
    };
  };
}

function requireAdmin({ permissions }: Caller): void {
  if (permissions.includes('admin')) return;
  throw new BridgeError('permission_denied', 'the token lacks the permission admin', {
    details: { permission: 'admin' },
  });
}

/** Returns the allowance and the budget of a payer, and the used parts. */
function toLimits(
  { imagesPerDay, budgetPerDay, budgetPerMonth, unknownCost }: Payer,
  { charged: used, spent }: Balance,
  day: number,
): Pick<TokenUsage, 'allowance' | 'budget'> {
  const resets = ((day + 1) * DAY_MS) / 1000;
  const hasBudget = budgetPerDay !== undefined || budgetPerMonth !== undefined;
  return {
    ...(imagesPerDay !== undefined && {
      allowance: { images_per_day: imagesPerDay, used, resets },
    }),
    ...(hasBudget && {
      budget: {
        currency: 'USD',
        ...(budgetPerDay === undefined ? {} : { per_day: amountText(budgetPerDay) }),
        ...(budgetPerMonth === undefined ? {} : { per_month: amountText(budgetPerMonth) }),
        used_today: amountText(spent.day),
        used_this_month: amountText(spent.month),
        unknown_cost: unknownCost === undefined ? 'refuse' : amountText(unknownCost),
      },
    }),
  };
}

/** Combines the rows of each day into one item. */
function toDays(
  rows: readonly ProviderUsage[],
  models: readonly ModelUsage[],
): UsageReport['items'] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const modelsByDay = Map.groupBy(models, ({ day }) => day);
  const named = namedModels(models);
  return [...byDay].map(([day, ofDay]) => ({
    day: dateOf(day),
    ...toWire(sumOf(ofDay)),
    by_provider: Object.fromEntries(
      ofDay.filter(({ provider }) => provider !== '').map((row) => [row.provider, toWire(row)]),
    ),
    by_model: toModels(ofDay, modelsByDay.get(day) ?? [], named),
  }));
}

const keyOf = ({ provider, model }: ModelUsage) => JSON.stringify([provider, model]);

/** Returns the keys of the models with the most images. */
function namedModels(models: readonly ModelUsage[]): ReadonlySet<string> {
  const sums = new Map<string, number>();
  for (const row of models) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.images);
  const ordered = [...sums].toSorted(([, one], [, two]) => two - one);
  return new Set(ordered.slice(0, MAX_USAGE_MODELS).map(([key]) => key));
}

/** Returns the usage by model on one day. */
function toModels(
  rows: readonly ProviderUsage[],
  models: readonly ModelUsage[],
  named: ReadonlySet<string>,
): DayUsage['by_model'] {
  const others = models.filter((row) => !named.has(keyOf(row)));
  const entries = rows.flatMap((row) => {
    if (row.provider === '') return [];
    const { provider } = row;
    const own = models.filter((model) => model.provider === provider);
    const rest = restOf(row, sumOf(own));
    return [
      ...own
        .filter((model) => named.has(keyOf(model)))
        .map((model) => ({ provider, model: model.model, ...toWire(model) })),
      ...(rest ? [{ provider, ...toWire(rest) }] : []),
    ];
  });
  if (others.length === 0) return entries;
  return [...entries, { others: others.length, ...toWire(sumOf(others)) }];
}

/** Returns the counts in `all` that are not in `part`. Returns undefined if there are none. */
function restOf(all: Counts, part: Counts): Counts | undefined {
  const less = (of: (counts: Counts) => number) => Math.max(0, of(all) - of(part));
  const unpriced = less((counts) => counts.unpriced);
  const amount = all.cost.amount > part.cost.amount ? all.cost.amount - part.cost.amount : 0n;
  const tokens = less((counts) => counts.tokens ?? 0);
  const rest = {
    images: less(({ images }) => images),
    lost: less(({ lost }) => lost),
    unknown: less(({ unknown }) => unknown),
    failed: less(({ failed }) => failed),
    tokens: tokens === 0 ? undefined : tokens,
    cost: { amount, basis: unpriced > 0 ? 'unknown' : basisOfKnown(all.cost) } as const,
    unpriced,
  };
  const { images, unknown, failed } = rest;
  return images + unknown + failed + tokens === 0 && amount === 0n ? undefined : rest;
}

/** Returns the weakest basis that the known part of a cost can have. */
function basisOfKnown({ basis }: Cost): Exclude<Cost['basis'], 'unknown'> {
  return basis === 'unknown' ? 'priced' : basis;
}

/** A row of a report. `id` is the id of the token, or undefined for a sum of several tokens. */
interface TokenRow {
  readonly id?: string;
  readonly row: TokenUsage;
}

/** Returns the rows of the tokens with the most images, and the sum of the others. */
function toTokenRows(
  all: readonly UsageOfToken[],
  ofToday: readonly UsageOfToken[],
  caller: Caller,
  tokens: Deps['tokens'],
): readonly TokenRow[] {
  const todays = new Map(ofToday.map((usage) => [usage.token, usage]));
  const toSum = (kind: TokenUsage['kind'], own: readonly UsageOfToken[]): TokenRow => {
    const parts = own.flatMap(({ token }) => todays.get(token) ?? []);
    return { row: { kind, ...toWire(sumOf(own)), today: toWire(sumOf(parts)) } };
  };
  const toRow = (usage: UsageOfToken): TokenRow => {
    const { token: id } = usage;
    const account = tokens.accountOf(id);
    const isRemoved = account?.removedSecs !== undefined;
    const kind = account === undefined ? 'unnamed' : isRemoved ? 'removed' : 'named';
    const { row } = toSum(kind, [usage]);
    const named = {
      ...(account && { name: account.name }),
      ...(id === caller.id && { own: true as const }),
    };
    return { ...(isRemoved ? {} : { id }), row: { ...row, ...named } };
  };
  const isListed = ({ token }: UsageOfToken) =>
    token === '' || tokens.accountOf(token) !== undefined;
  const unlisted = all.filter((usage) => !isListed(usage));
  const listed = all.filter(isListed).toSorted((one, two) => two.images - one.images);
  const others = listed.slice(MAX_USAGE_TOKENS);
  return [
    ...listed.slice(0, MAX_USAGE_TOKENS).map(toRow),
    ...(others.length === 0 ? [] : [toSum('others', others)]),
    ...(unlisted.length === 0 ? [] : [toSum('unlisted', unlisted)]),
  ];
}

function sumOf(rows: readonly Counts[]): Counts {
  return rows.reduce(addCounts, NO_COUNTS);
}

function toWire({ images, failed, unknown, lost, tokens, cost, unpriced }: Counts) {
  return {
    images,
    failed,
    unknown,
    lost,
    cost: toWireCost(cost),
    unknown_images: unpriced,
    ...(tokens === undefined ? {} : { tokens }),
  };
}
