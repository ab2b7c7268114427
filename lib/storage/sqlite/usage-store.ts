import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Reservation, UsageStore } from '../../usage/usage-store-port.ts';
import type { StoreDatabase } from './database.ts';

const CHARGE = `
  INSERT INTO charge (token, day, images) VALUES (@token, @day, max(0, @images))
  ON CONFLICT (token, day) DO UPDATE SET images = max(0, images + @images)`;
const CHARGED = 'SELECT images FROM charge WHERE token = @token AND day = @day';
const COUNT = `
  INSERT INTO usage (token, day, provider, images, failed, tokens)
  VALUES (@token, @day, @provider, @images, @failed, @tokens)
  ON CONFLICT (token, day, provider) DO UPDATE SET
    images = images + excluded.images,
    failed = failed + excluded.failed,
    tokens = coalesce(tokens + excluded.tokens, tokens, excluded.tokens)`;
const LIST = `
  SELECT day, provider, images, failed, tokens FROM usage
  WHERE token = @token AND day >= @day ORDER BY day DESC, provider`;
const PRUNE_CHARGES = 'DELETE FROM charge WHERE day < ?';
const PRUNE_USAGE = 'DELETE FROM usage WHERE day < ?';

const Charged = v.optional(v.number(), 0);
const Rows = v.array(
  v.object({
    day: v.number(),
    provider: v.string(),
    images: v.number(),
    failed: v.number(),
    tokens: v.pipe(
      v.nullable(v.number()),
      v.transform((tokens) => tokens ?? undefined),
    ),
  }),
);

/**
 * Refuses what the allowance does not suffice for, inside the caller's transaction. Throws `rate_limited`.
 */
export function prepareAllowance(
  database: Pick<StoreDatabase, 'prepare'>,
): (reservation: Reservation) => void {
  const charged = database.prepare(CHARGED).pluck();
  return ({ token, day, images, allowance, retryAfterMs }) => {
    if (allowance === undefined) return;
    const used = v.parse(Charged, charged.get({ token, day }));
    if (used + images <= allowance) return;
    throw new BridgeError('rate_limited', 'the allowance of the token does not suffice today', {
      details: {
        reason: 'allowance',
        images_per_day: allowance,
        remaining: Math.max(0, allowance - used),
        retry_after_ms: retryAfterMs,
      },
    });
  };
}

export function createUsageStore(database: StoreDatabase): UsageStore {
  const refuseBeyondAllowance = prepareAllowance(database);
  const charge = database.prepare(CHARGE);
  const charged = database.prepare(CHARGED).pluck();
  const count = database.prepare(COUNT);
  const list = database.prepare(LIST);
  const prunings = [PRUNE_CHARGES, PRUNE_USAGE].map((sql) => database.prepare(sql));

  return {
    reserve: (reservation) =>
      database.write(() => {
        const { token, day, images } = reservation;
        refuseBeyondAllowance(reservation);
        charge.run({ token, day, images });
      }),
    settle: ({ token, day, givenBack, tokens, ...outcome }) =>
      database.write(() => {
        if (givenBack !== 0) charge.run({ token, day, images: -givenBack });
        const { images, failed } = outcome;
        if (images + failed > 0) count.run({ token, day, ...outcome, tokens: tokens ?? null });
      }),
    charged: (of) => database.read(() => v.parse(Charged, charged.get(of))),
    list: (since) => database.read(() => v.parse(Rows, list.all(since))),
    prune: (day) =>
      database.write(() => {
        for (const pruning of prunings) pruning.run(day);
      }),
  };
}
