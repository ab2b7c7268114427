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
  const charged = database.prepare(CHARGED).pluck();
  const count = database.prepare(COUNT);

  return {
    /** Throws `rate_limited` if the allowance does not suffice for so many outputs more. */
    refuseBeyondAllowance(
      { token, day, allowance, retryAfterMs = 0 }: Limit,
      images: number,
    ): void {
      if (allowance === undefined || images <= 0) return;
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

/** Returns how many outputs of these are charged: those that are paid for, or may be. */
export function chargedBy(counts: readonly ProviderCounts[]): number {
  return counts.reduce((sum, { images, unknown }) => sum + images + unknown, 0);
}

function isEmpty({ images, unknown, failed, tokens }: ProviderCounts): boolean {
  return images + unknown + failed === 0 && tokens === undefined;
}
