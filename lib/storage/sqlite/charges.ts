import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type {
  ProviderCounts,
  Reservation,
  UsageDay,
} from '../../generation/ledger/ledger-store-port.ts';
import type { StoreDatabase } from './database.ts';

const CHARGE = `
  INSERT INTO charge (token, day, images) VALUES (@token, @day, max(0, @images))
  ON CONFLICT (token, day) DO UPDATE SET images = max(0, images + @images)`;
const CHARGE_WITHIN = `
  INSERT INTO charge (token, day, images)
  SELECT @token, @day, @images WHERE @images <= @allowance
  ON CONFLICT (token, day) DO UPDATE SET images = images + @images
    WHERE images + @images <= @allowance`;
/** How much of the allowance of a day is used up. Binds `@token`, `@day`. */
export const CHARGED = 'SELECT images FROM charge WHERE token = @token AND day = @day';
const COUNT = `
  INSERT INTO usage (token, day, provider, images, lost, unknown, failed, tokens)
  VALUES (@token, @day, @provider, @images, @lost, @unknown, @failed, @tokens)
  ON CONFLICT (token, day, provider) DO UPDATE SET
    images = images + excluded.images,
    lost = lost + excluded.lost,
    unknown = unknown + excluded.unknown,
    failed = failed + excluded.failed,
    tokens = coalesce(tokens + excluded.tokens, tokens, excluded.tokens)`;

const Charged = v.optional(v.number(), 0);

/** The allowance of a token on one day. */
type Limit = UsageDay & Pick<Reservation, 'allowance'> & Partial<Pick<Reservation, 'retryAfterMs'>>;

/** Changes the sums of a token and a day inside the transaction of its caller. */
export function prepareCharges(database: Pick<StoreDatabase, 'prepare'>) {
  const charge = database.prepare(CHARGE);
  const chargeWithin = database.prepare(CHARGE_WITHIN);
  const charged = database.prepare(CHARGED).pluck();
  const count = database.prepare(COUNT);

  function usedOn({ token, day }: UsageDay): number {
    return v.parse(Charged, charged.get({ token, day }));
  }

  return {
    /** Throws `rate_limited` if the allowance does not suffice for so many outputs more. */
    refuseBeyondAllowance(limit: Limit, images: number): void {
      const { allowance } = limit;
      if (allowance === undefined || images <= 0) return;
      const used = usedOn(limit);
      if (used + images > allowance) throw beyond(limit, allowance - used);
    },

    /** Adds to the charge of a day, within the allowance. Throws `rate_limited`, and adds nothing, beyond it. */
    reserve(limit: Limit, images: number): void {
      const { token, day, allowance } = limit;
      if (allowance === undefined) charge.run({ token, day, images });
      else if (chargeWithin.run({ token, day, images, allowance }).changes === 0) {
        throw beyond(limit, allowance - usedOn(limit));
      }
    },

    /** Adds to the charge of a day. A negative number gives images back. */
    charge({ token, day }: UsageDay, images: number): void {
      if (images !== 0) charge.run({ token, day, images });
    },

    /** Counts outputs whose calls have ended. */
    count({ token, day }: UsageDay, settled: readonly ProviderCounts[]): void {
      for (const counts of settled) {
        if (!isEmpty(counts)) count.run({ ...counts, token, day, tokens: counts.tokens ?? null });
      }
    },
  };
}

function beyond({ allowance = 0, retryAfterMs = 0 }: Limit, remaining: number): BridgeError {
  return new BridgeError('rate_limited', 'the allowance of the token does not suffice today', {
    details: {
      reason: 'allowance',
      images_per_day: allowance,
      remaining: Math.max(0, remaining),
      retry_after_ms: retryAfterMs,
    },
  });
}

/** Returns how many outputs of these are charged: those that are paid for, or may be. */
export function chargedBy(counts: readonly ProviderCounts[]): number {
  return counts.reduce((sum, { images, unknown }) => sum + images + unknown, 0);
}

function isEmpty({ images, unknown, failed, tokens }: ProviderCounts): boolean {
  return images + unknown + failed === 0 && tokens === undefined;
}
