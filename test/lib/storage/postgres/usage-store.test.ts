import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_COST } from '../../../../lib/contract/reply/cost.ts';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { describeUsageStore } from '../../../contracts/usage-store.ts';
import { HAS_POSTGRES } from '../../../support/postgres.ts';
import { openPostgresForm } from '../../../support/postgres-form.ts';

const FUTURE_SECS = 10_000_000_000;

/** Ends the sessions that run a statement on the schema, except the session of this statement. */
const END_CONNECTIONS = `
  SELECT pg_terminate_backend(pid) FROM (
    SELECT pid FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%'
    LIMIT 1) AS one`;

describe.runIf(HAS_POSTGRES)('PostgreSQL', () => {
  describeUsageStore('PostgreSQL', async () => {
    const { stores, reopen, close } = await openPostgresForm();
    return {
      store: stores.usage,
      ledger: stores.ledger,
      async reopen() {
        const { usage: store, ledger } = await reopen();
        return { store, ledger };
      },
      close,
    };
  });
});

describe.runIf(HAS_POSTGRES)('createLedgerStore', () => {
  it('keeps the allowance of a token exact while two replicas use it and lose connections', async ({
    signal,
  }) => {
    const { stores, database, other, close } = await openPostgresForm();
    onTestFinished(close);
    const ledgers = [stores.ledger, (await other(FUTURE_SECS)).ledger];
    const day = { token: 'alice', day: 20_000 };
    async function endConnections(): Promise<void> {
      for (let ended = 0; ended < 40; ended += 1) {
        await database.read(({ rows }) => rows(END_CONNECTIONS, [database.schema]));
      }
    }

    const ending = endConnections();
    const requests = Array.from({ length: 200 }, async (_, nth) => {
      const ledger = ledgers[nth % 2]!;
      const id = `request-${nth}`;
      const call = { call: 0, provider: 'sandbox', indices: [0, 1] };
      const counts = {
        provider: 'sandbox',
        lost: 0,
        failed: 0,
        tokens: undefined,
        cost: NO_COST,
        unpriced: 0,
      };
      const entry = { ...day, id, images: 2, allowance: 100, retryAfterMs: 1 };
      await untilAnswered(() => ledger.reserve(entry), signal);
      await untilAnswered(() => ledger.addCall(id, call), signal);
      const made = { ...counts, images: nth % 3 === 0 ? 0 : 1, unknown: nth % 2 };
      await untilAnswered(() => ledger.close(id, { renewals: 0, counts: [made] }), signal);
    });
    const outcomes = await Promise.allSettled(requests);
    await ending;

    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason.code] : [],
    );
    const [used] = await stores.usage.list(day);
    const charged = await stores.usage.charged(day);
    expect(new Set(refusals)).toEqual(new Set(['rate_limited']));
    expect(charged).toBe((used?.images ?? 0) + (used?.unknown ?? 0));
    expect(charged).toBeLessThanOrEqual(100);
    expect(charged).toBeGreaterThan(0);
  });
});

/**
 * Repeats a call of the store that was refused because its connections were lost, until the test has timed out: the closed database
 * would refuse the call forever.
 */
async function untilAnswered(call: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isRefused = error instanceof BridgeError && error.code === 'overloaded';
      if (!isRefused || signal.aborted) throw error;
    }
  }
}
