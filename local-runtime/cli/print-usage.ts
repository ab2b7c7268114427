import {
  addCosts,
  amountText,
  NO_COST,
  parseAmount,
  toWireCost,
  type WireCost,
} from '../../lib/contract/reply/cost.ts';
import type { TokenUsage, UsageReport } from '../../lib/contract/resources/usage.ts';
import type { CommandIo } from './command-io.ts';
import { printFields, printTable } from './print.ts';

/** Prints the usage by day and by model. Prints the tokens if the report has them. */
export function printUsage(
  { caller: { name, allowance, budget }, items: days, by_token: tokens }: UsageReport,
  io: CommandIo,
): void {
  if (name !== undefined) printFields({ token: name }, io);
  if (allowance) printFields({ today: `${allowance.used} of ${allowance.images_per_day}` }, io);
  if (budget?.per_day) {
    printFields({ 'budget today': `${budget.used_today} of ${budget.per_day} USD` }, io);
  }
  if (budget?.per_month) {
    printFields(
      { 'budget this month': `${budget.used_this_month} of ${budget.per_month} USD` },
      io,
    );
  }
  const rows = days.map(({ day, images, failed, tokens: count, cost, by_provider }) => {
    const providers = Object.entries(by_provider).map(([one, { images: own }]) => `${one} ${own}`);
    const counts = [images, failed, count ?? ''].map(String);
    return [day, ...counts, toText(cost), providers.join(', ')];
  });
  printTable(['DAY', 'IMAGES', 'FAILED', 'TOKENS', 'COST', 'PROVIDERS'], rows, io);
  const models = toModelRows(days);
  if (models.length > 0) {
    io.stdout('\n');
    printTable(['MODEL', 'PROVIDER', 'IMAGES', 'COST'], models, io);
  }
  if (tokens) {
    io.stdout('\n');
    printTable(['TOKEN', 'IMAGES', 'COST', 'TODAY', 'LEFT TODAY'], tokens.map(toTokenRow), io);
  }
}

/** Adds up the days by model, the most images first. */
function toModelRows(days: UsageReport['items']): readonly (readonly string[])[] {
  const entries = days.flatMap(({ by_model: models }) => models);
  const byModel = Map.groupBy(entries, ({ provider, model }) => JSON.stringify([provider, model]));
  return [...byModel.values()]
    .map((own) => ({
      ...own[0],
      images: own.reduce((sum, { images }) => sum + images, 0),
      cost: sumCosts(own.map(({ cost }) => cost)),
    }))
    .toSorted((one, two) => two.images - one.images)
    .map(({ provider, model, images, cost }) => [
      model ?? (provider === undefined ? 'others' : 'not recorded'),
      provider ?? '',
      String(images),
      toText(cost),
    ]);
}

function toTokenRow({
  kind,
  name,
  own,
  images,
  cost,
  today,
  budget,
  allowance,
}: TokenUsage): readonly string[] {
  const words = [
    name ?? KINDS[kind],
    ...(own ? ['(you)'] : []),
    ...(kind === 'removed' ? ['(removed)'] : []),
  ];
  const left = [
    ...(budget?.per_day === undefined ? [] : [`${leftOf(budget.per_day, budget.used_today)} USD`]),
    ...(allowance ? [`${Math.max(0, allowance.images_per_day - allowance.used)} images`] : []),
  ];
  return [words.join(' '), String(images), toText(cost), toText(today.cost), left.join(', ')];
}

const KINDS = {
  named: '',
  removed: '',
  unlisted: 'no longer listed',
  unnamed: 'without a name',
  others: 'others',
} as const satisfies Record<TokenUsage['kind'], string>;

function leftOf(budget: string, used: string): string {
  const left = (parseAmount(budget) ?? 0n) - (parseAmount(used) ?? 0n);
  return amountText(left < 0n ? 0n : left);
}

function sumCosts(costs: readonly WireCost[]): WireCost {
  const parts = costs.map(({ amount, known_amount: known = '0', basis }) => {
    return { amount: parseAmount(amount ?? known) ?? 0n, basis };
  });
  return toWireCost(parts.reduce(addCosts, NO_COST));
}

/** Returns an amount, `free`, `unknown`, or the known part of a sum. */
function toText({ amount, known_amount: known, basis }: WireCost): string {
  if (amount === undefined) return known === undefined ? basis : `${known} USD and unknown`;
  return basis === 'free' ? basis : `${amount} USD`;
}
