import * as v from 'valibot';
import type { Amount } from '../../contract/reply/cost.ts';
import type { ProviderCounts, UsageDay } from '../../generation/ledger/ledger-store-port.ts';
import type { UsageStore } from '../../usage/usage-store-port.ts';
import { isEmpty } from '../accounts.ts';
import { type Allowance, beyondAllowance, refuseBeyondAllowance } from '../allowance.ts';
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
import type { StoreDatabase } from './database.ts';

const CHARGE = `
  INSERT INTO charge (token, day, images) VALUES (@token, @day, max(0, @images))
  ON CONFLICT (token, day) DO UPDATE SET images = max(0, images + @images)`;
const CHARGE_WITHIN = `
  INSERT INTO charge (token, day, images)
  SELECT @token, @day, @images WHERE @images <= @allowance
  ON CONFLICT (token, day) DO UPDATE SET images = images + @images
    WHERE images + @images <= @allowance`;
/** Selects the number of images that are charged on a day. Binds `@token`, `@day`. */
const CHARGED = 'SELECT images FROM charge WHERE token = @token AND day = @day';
const COUNT_VALUES = '@images, @lost, @unknown, @failed, @tokens, @cost, @basis, @unpriced';
const ADD_COUNTS = `
    images = images + excluded.images,
    lost = lost + excluded.lost,
    unknown = unknown + excluded.unknown,
    failed = failed + excluded.failed,
    tokens = coalesce(tokens + excluded.tokens, tokens, excluded.tokens),
    cost = cost + excluded.cost,
    basis = max(basis, excluded.basis),
    unpriced = unpriced + excluded.unpriced`;
const COUNT = `
  INSERT INTO usage (token, day, provider, ${COUNT_COLUMNS})
  VALUES (@token, @day, @provider, ${COUNT_VALUES})
  ON CONFLICT (token, day, provider) DO UPDATE SET ${ADD_COUNTS}`;
const COUNT_MODEL = `
  INSERT INTO usage_model (token, day, provider, model, ${COUNT_COLUMNS})
  VALUES (@token, @day, @provider, @model, ${COUNT_VALUES})
  ON CONFLICT (token, day, provider, model) DO UPDATE SET ${ADD_COUNTS}`;
// The sum of integers is an integer. Without any tokens, the sum is NULL.
const COUNT_SUMS = `
  sum(images) AS images, sum(lost) AS lost, sum(unknown) AS unknown, sum(failed) AS failed,
  sum(tokens) AS tokens, sum(cost) AS cost, max(basis) AS basis, sum(unpriced) AS unpriced`;
const SPEND = `
  INSERT INTO spending (token, period, amount) VALUES (@token, @period, max(0, @amount))
  ON CONFLICT (token, period) DO UPDATE SET amount = max(0, amount + @amount)`;
const SPENT = 'SELECT amount FROM spending WHERE token = @token AND period = @period';
const PRUNE_SPENDING = 'DELETE FROM spending WHERE period < ?';
const LIST = `
  SELECT day, provider, ${COUNT_COLUMNS} FROM usage
  WHERE token = +@token AND day >= +@day ORDER BY day DESC, provider`;
const LIST_ALL = `
  SELECT day, provider, ${COUNT_SUMS} FROM usage
  WHERE day >= +@day GROUP BY day, provider ORDER BY day DESC, provider`;
const LIST_MODELS = `
  SELECT day, provider, model, ${COUNT_COLUMNS} FROM usage_model
  WHERE token = +@token AND day >= +@day ORDER BY day DESC, provider, model`;
const LIST_ALL_MODELS = `
  SELECT day, provider, model, ${COUNT_SUMS} FROM usage_model
  WHERE day >= +@day GROUP BY day, provider, model ORDER BY day DESC, provider, model`;
const LIST_TOKENS = `
  SELECT token, ${COUNT_SUMS} FROM usage WHERE day >= ? GROUP BY token ORDER BY token`;
const PRUNE_CHARGES = 'DELETE FROM charge WHERE day < ?';
const PRUNE_USAGE = 'DELETE FROM usage WHERE day < ?';
const PRUNE_MODELS = 'DELETE FROM usage_model WHERE day < ?';

const Charged = v.optional(v.number(), 0);
const SpentAmount = v.optional(StoredAmount, 0);

export function createUsageStore(database: StoreDatabase): UsageStore {
  const charged = database.prepare(CHARGED).pluck();
  const list = database.prepare(LIST);
  const listAll = database.prepare(LIST_ALL);
  const listModels = database.prepare(LIST_MODELS);
  const listAllModels = database.prepare(LIST_ALL_MODELS);
  const listTokens = database.prepare(LIST_TOKENS);
  const spent = prepareSpent(database);
  const pruneSpending = database.prepare(PRUNE_SPENDING);
  const prunings = [PRUNE_CHARGES, PRUNE_USAGE, PRUNE_MODELS].map((sql) => database.prepare(sql));

  return {
    charged: (of) => database.read(() => v.parse(Charged, charged.get(of))),
    spent: (of) => database.read(() => spent(of)),
    balances: (tokens, day) =>
      database.read(() =>
        tokens.map((token) => {
          const of = { token, day };
          return { token, charged: v.parse(Charged, charged.get(of)), spent: spent(of) };
        }),
      ),
    list: (since) =>
      database.read(() => v.parse(UsageRows, ('token' in since ? list : listAll).all(since))),
    listModels: (since) =>
      database.read(() =>
        v.parse(ModelRows, ('token' in since ? listModels : listAllModels).all(since)),
      ),
    listTokens: (day) => database.read(() => v.parse(TokenRows, listTokens.all(day))),
    prune: (day) =>
      database.write(() => {
        for (const pruning of prunings) pruning.run(day);
        pruneSpending.run(periodsOf({ day })[0]);
      }),
  };
}

function prepareSpent(database: Pick<StoreDatabase, 'prepare'>): (of: UsageDay) => Spent {
  const spent = database.prepare(SPENT).pluck();
  return ({ token, day }) => {
    const [ofDay, ofMonth] = periodsOf({ day }).map((period) =>
      v.parse(SpentAmount, spent.get({ token, period })),
    );
    return { day: ofDay ?? 0n, month: ofMonth ?? 0n };
  };
}

/** The allowance of a token on one day. */
type Limit = UsageDay & Allowance;

/** Prepares the statements that change the sums of a token on a day within the caller's transaction. */
export function prepareCharges(database: Pick<StoreDatabase, 'prepare'>) {
  const charge = database.prepare(CHARGE);
  const chargeWithin = database.prepare(CHARGE_WITHIN);
  const charged = database.prepare(CHARGED).pluck();
  const count = database.prepare(COUNT);
  const countModel = database.prepare(COUNT_MODEL);
  const spent = prepareSpent(database);
  const spend = database.prepare(SPEND);

  function usedOn({ token, day }: UsageDay): number {
    return v.parse(Charged, charged.get({ token, day }));
  }

  function spendOn({ token, day }: UsageDay, amount: Amount): void {
    if (amount === 0n) return;
    for (const period of periodsOf({ day })) spend.run({ token, period, amount });
  }

  return {
    /** Throws `rate_limited` if the remaining allowance is smaller than `images`. */
    refuseBeyondAllowance(limit: Limit, images: number): void {
      if (limit.allowance !== undefined) refuseBeyondAllowance(limit, usedOn(limit), images);
    },

    /** Adds to the charge of a day. Throws `rate_limited`, and adds nothing, if images are added and the sum would exceed the allowance. */
    reserve(limit: Limit, images: number): void {
      if (images === 0) return;
      const { token, day, allowance } = limit;
      if (allowance === undefined) charge.run({ token, day, images });
      else if (chargeWithin.run({ token, day, images, allowance }).changes === 0) {
        throw beyondAllowance(limit, usedOn(limit));
      }
    },

    /** Adds to the charge of a day without a check of the allowance. A negative number reduces the charge. */
    charge({ token, day }: UsageDay, images: number): void {
      if (images !== 0) charge.run({ token, day, images });
    },

    /** Adds to the spending of a day and its month. Throws `rate_limited`, and adds nothing, if a budget would be exceeded. */
    reserveMoney(limit: SpendingLimit, amount: Amount): void {
      if (hasBudget(limit)) refuseBeyondBudget(limit, spent(limit), amount);
      spendOn(limit, amount);
    },

    /** Adds to the spending on a day and in its month. A negative amount reduces the spending. */
    spend: spendOn,

    /** Counts outputs whose calls have ended. */
    count({ token, day }: UsageDay, settled: readonly ProviderCounts[]): void {
      for (const counts of settled) {
        if (isEmpty(counts)) continue;
        const { model, cost, tokens = null, ...rest } = counts;
        const columns = { ...rest, cost: cost.amount, basis: basisNumber(cost.basis) };
        const row = { ...columns, token, day, tokens };
        count.run(row);
        if (model !== undefined) countModel.run({ ...row, model });
      }
    },
  };
}
