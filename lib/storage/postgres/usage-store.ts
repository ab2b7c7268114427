import * as v from 'valibot';
import type { Amount } from '../../contract/reply/cost.ts';
import type { ProviderCounts, UsageDay } from '../../generation/ledger/ledger-store-port.ts';
import type { UsageStore } from '../../usage/usage-store-port.ts';
import { isEmpty } from '../accounts.ts';
import { type Allowance, beyondAllowance } from '../allowance.ts';
import {
  basisNumber,
  hasBudget,
  periodsOf,
  refuseBeyondBudget,
  type SpendingLimit,
  type Spent,
  StoredAmount,
} from '../budgets.ts';
import { COUNT_COLUMNS, ModelRows, TokenRows, UsageRows } from '../usage-rows.ts';
import type { Postgres, Queries } from './connection.ts';

const Charges = v.array(v.object({ images: v.number() }));
const TokenCharges = v.array(v.object({ token: v.string(), images: v.number() }));
const Spending = v.array(v.object({ token: v.string(), period: v.string(), amount: StoredAmount }));
// A sum of bigint columns is numeric. Without any tokens, the sum is NULL.
const COUNT_SUMS = `
  sum(images)::bigint AS images, sum(lost)::bigint AS lost, sum(unknown)::bigint AS unknown,
  sum(failed)::bigint AS failed, sum(tokens)::bigint AS tokens, sum(cost)::bigint AS cost,
  max(basis) AS basis, sum(unpriced)::bigint AS unpriced`;
/** Returns the text by which counts are ordered. */
const keyOf = ({ provider, model = '' }: ProviderCounts) => `${provider}\n${model}`;
/** Returns the statement that selects the number of images that are charged to a token on a day. */
const chargedSql = (schema: string) =>
  `SELECT images FROM ${schema}.charge WHERE token = $1 AND day = $2`;

export function createUsageStore({ schema, read, write }: Postgres): UsageStore {
  const CHARGED = chargedSql(schema);
  const charges = createCharges(schema);
  const LIST = `
    SELECT day, provider, ${COUNT_COLUMNS} FROM ${schema}.usage
    WHERE day >= $1 AND token = $2 ORDER BY day DESC, provider`;
  const LIST_ALL = `
    SELECT day, provider, ${COUNT_SUMS} FROM ${schema}.usage
    WHERE day >= $1 GROUP BY day, provider ORDER BY day DESC, provider`;
  const LIST_MODELS = `
    SELECT day, provider, model, ${COUNT_COLUMNS} FROM ${schema}.usage_model
    WHERE day >= $1 AND token = $2 ORDER BY day DESC, provider, model`;
  const LIST_ALL_MODELS = `
    SELECT day, provider, model, ${COUNT_SUMS} FROM ${schema}.usage_model
    WHERE day >= $1 GROUP BY day, provider, model ORDER BY day DESC, provider, model`;
  const LIST_TOKENS = `
    SELECT token, ${COUNT_SUMS} FROM ${schema}.usage
    WHERE day >= $1 GROUP BY token ORDER BY token`;
  const ALL_CHARGED = `
    SELECT token, images FROM ${schema}.charge WHERE token = ANY ($1::text[]) AND day = $2`;
  const PRUNE_CHARGES = `DELETE FROM ${schema}.charge WHERE day < $1`;
  const PRUNE_SPENDING = `DELETE FROM ${schema}.spending WHERE period < $1`;
  const PRUNE_USAGE = `DELETE FROM ${schema}.usage WHERE day < $1`;
  const PRUNE_MODELS = `DELETE FROM ${schema}.usage_model WHERE day < $1`;

  return {
    charged: ({ token, day }) =>
      read(async ({ rows }) => v.parse(Charges, await rows(CHARGED, [token, day]))[0]?.images ?? 0),
    spent: (of) => read((queries) => charges.spent(queries, of)),
    balances: (tokens, day) =>
      read(async (queries) => {
        const found = v.parse(TokenCharges, await queries.rows(ALL_CHARGED, [tokens, day]));
        const charged = new Map(found.map(({ token, images }) => [token, images]));
        const spent = await charges.spentByToken(queries, tokens, day);
        return tokens.map((token) => ({
          token,
          charged: charged.get(token) ?? 0,
          spent: spent(token),
        }));
      }),
    list: (since) =>
      read(async ({ rows }) =>
        v.parse(
          UsageRows,
          await ('token' in since
            ? rows(LIST, [since.day, since.token])
            : rows(LIST_ALL, [since.day])),
        ),
      ),
    listModels: (since) =>
      read(async ({ rows }) =>
        v.parse(
          ModelRows,
          await ('token' in since
            ? rows(LIST_MODELS, [since.day, since.token])
            : rows(LIST_ALL_MODELS, [since.day])),
        ),
      ),
    listTokens: (day) =>
      read(async ({ rows }) => v.parse(TokenRows, await rows(LIST_TOKENS, [day]))),
    prune: (day) =>
      write(async ({ rows }) => {
        await rows(PRUNE_CHARGES, [day]);
        await rows(PRUNE_USAGE, [day]);
        await rows(PRUNE_MODELS, [day]);
        await rows(PRUNE_SPENDING, [periodsOf({ day })[0]]);
      }),
  };
}

/**
 * Creates the functions that change the sums of a token on a day within the caller's transaction. The row of the charge is locked
 * until the end of the transaction, so that the allowance is exact for all replicas. A transaction that changes several charges
 * changes them in the order of token and day.
 */
export function createCharges(schema: string) {
  const CHARGED = chargedSql(schema);
  const CHARGE = `
    INSERT INTO ${schema}.charge AS charge (token, day, images) VALUES ($1, $2, greatest(0, $3::bigint))
    ON CONFLICT (token, day) DO UPDATE SET images = greatest(0, charge.images + $3::bigint)`;
  const CHARGE_WITHIN = `
    INSERT INTO ${schema}.charge AS charge (token, day, images)
    SELECT $1, $2, $3::bigint WHERE $3::bigint <= $4::bigint
    ON CONFLICT (token, day) DO UPDATE SET images = charge.images + $3::bigint
      WHERE charge.images + $3::bigint <= $4::bigint
    RETURNING images`;
  const ADD_COUNTS = `
      images = usage.images + excluded.images,
      lost = usage.lost + excluded.lost,
      unknown = usage.unknown + excluded.unknown,
      failed = usage.failed + excluded.failed,
      tokens = coalesce(usage.tokens + excluded.tokens, usage.tokens, excluded.tokens),
      cost = usage.cost + excluded.cost,
      basis = greatest(usage.basis, excluded.basis),
      unpriced = usage.unpriced + excluded.unpriced`;
  const COUNT = `
    INSERT INTO ${schema}.usage AS usage (${COUNT_COLUMNS}, token, day, provider)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (token, day, provider) DO UPDATE SET ${ADD_COUNTS}`;
  const COUNT_MODEL = `
    INSERT INTO ${schema}.usage_model AS usage (${COUNT_COLUMNS}, token, day, provider, model)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (token, day, provider, model) DO UPDATE SET ${ADD_COUNTS}`;
  const SPENT = `
    SELECT token, period, amount FROM ${schema}.spending
    WHERE token = ANY ($1::text[]) AND period = ANY ($2::text[])`;
  const SPEND = `
    INSERT INTO ${schema}.spending AS spending (token, period, amount)
    VALUES ($1, $2, greatest(0, $3::bigint))
    ON CONFLICT (token, period) DO UPDATE SET amount = greatest(0, spending.amount + $3::bigint)`;

  async function spend({ rows }: Queries, { token, day }: UsageDay, amount: Amount): Promise<void> {
    for (const period of periodsOf({ day })) await rows(SPEND, [token, period, amount]);
  }

  async function spentByToken(
    { rows }: Queries,
    tokens: readonly string[],
    day: number,
  ): Promise<(token: string) => Spent> {
    const [ofDay, ofMonth] = periodsOf({ day });
    const found = v.parse(Spending, await rows(SPENT, [tokens, [ofDay, ofMonth]]));
    const byToken = Map.groupBy(found, ({ token }) => token);
    return (token) => {
      const own = byToken.get(token) ?? [];
      const amounts = new Map(own.map(({ period, amount }) => [period, amount]));
      return { day: amounts.get(ofDay) ?? 0n, month: amounts.get(ofMonth) ?? 0n };
    };
  }

  async function spent(queries: Queries, { token, day }: UsageDay): Promise<Spent> {
    return (await spentByToken(queries, [token], day))(token);
  }

  return {
    /** Adds to the charge of a day. Throws `rate_limited`, and adds nothing, if the sum would exceed the allowance. */
    async reserve({ rows }: Queries, limit: UsageDay & Allowance, images: number): Promise<void> {
      const { token, day, allowance } = limit;
      if (allowance === undefined) {
        await rows(CHARGE, [token, day, images]);
        return;
      }
      const within = await rows(CHARGE_WITHIN, [token, day, images, allowance]);
      if (within.length > 0) return;
      const [charge] = v.parse(Charges, await rows(CHARGED, [token, day]));
      throw beyondAllowance(limit, charge?.images ?? 0);
    },

    /** Adds to the charge of a day without a check of the allowance. A negative number reduces the charge. */
    async charge({ rows }: Queries, { token, day }: UsageDay, images: number): Promise<void> {
      if (images !== 0) await rows(CHARGE, [token, day, images]);
    },

    spent,

    spentByToken,

    /**
     * Adds to the spending of a day and its month. Throws `rate_limited`, and the transaction must end, if a budget would be
     * exceeded. The rows are locked before they are compared, so that a budget is exact for all replicas.
     */
    async reserveMoney(queries: Queries, limit: SpendingLimit, amount: Amount): Promise<void> {
      if (amount === 0n) return;
      await spend(queries, limit, amount);
      if (!hasBudget(limit)) return;
      const after = await spent(queries, limit);
      const before = { day: after.day - amount, month: after.month - amount };
      refuseBeyondBudget(limit, before, amount);
    },

    /** Adds to the spending of a day and its month. A negative amount reduces the spending. */
    async spend(queries: Queries, day: UsageDay, amount: Amount): Promise<void> {
      if (amount !== 0n) await spend(queries, day, amount);
    },

    /** Counts outputs whose calls have ended. */
    async count(
      { rows }: Queries,
      { token, day }: UsageDay,
      settled: readonly ProviderCounts[],
    ): Promise<void> {
      // All transactions lock the rows in the same order.
      const inOrder = settled.toSorted((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1));
      for (const counts of inOrder) {
        if (isEmpty(counts)) continue;
        const { provider, model, images, lost, unknown, failed, tokens, cost, unpriced } = counts;
        const outputs = [images, lost, unknown, failed, tokens];
        const values = [...outputs, cost.amount, basisNumber(cost.basis), unpriced];
        const row = [...values, token, day, provider];
        await rows(COUNT, row);
        if (model !== undefined) await rows(COUNT_MODEL, [...row, model]);
      }
    },
  };
}
