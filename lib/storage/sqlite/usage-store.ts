import * as v from 'valibot';
import type { UsageStore } from '../../usage/usage-store-port.ts';
import { CHARGED } from './charges.ts';
import type { StoreDatabase } from './database.ts';

const LIST = `
  SELECT day, provider, images, lost, unknown, failed, tokens FROM usage
  WHERE token = +@token AND day >= +@day ORDER BY day DESC, provider`;
const PRUNE_CHARGES = 'DELETE FROM charge WHERE day < ?';
const PRUNE_USAGE = 'DELETE FROM usage WHERE day < ?';

const Charged = v.optional(v.number(), 0);
const Rows = v.array(
  v.object({
    day: v.number(),
    provider: v.string(),
    images: v.number(),
    lost: v.number(),
    unknown: v.number(),
    failed: v.number(),
    tokens: v.pipe(
      v.nullable(v.number()),
      v.transform((tokens) => tokens ?? undefined),
    ),
  }),
);

export function createUsageStore(database: StoreDatabase): UsageStore {
  const charged = database.prepare(CHARGED).pluck();
  const list = database.prepare(LIST);
  const prunings = [PRUNE_CHARGES, PRUNE_USAGE].map((sql) => database.prepare(sql));

  return {
    charged: (of) => database.read(() => v.parse(Charged, charged.get(of))),
    list: (since) => database.read(() => v.parse(Rows, list.all(since))),
    prune: (day) =>
      database.write(() => {
        for (const pruning of prunings) pruning.run(day);
      }),
  };
}
