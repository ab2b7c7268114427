import * as v from 'valibot';
import type {
  LedgerStore,
  OpenCall,
  ProviderCounts,
} from '../../generation/ledger/ledger-store-port.ts';
import {
  chargedBy,
  countsOfOpen,
  type JobAccountEnd,
  newIn,
  type StoredAccount,
} from '../accounts.ts';
import type { Postgres, Queries } from './connection.ts';
import { isAbandonedSql, type ReplicaLease } from './replica-lease.ts';
import { createCharges } from './usage-store.ts';

const COLUMNS = 'id, token, day, outputs, reserved, allowance, renewals';

const AccountRows = v.array(
  v.object({
    id: v.string(),
    token: v.string(),
    allowance: v.nullable(v.number()),
    ...v.entriesFromList(['day', 'outputs', 'reserved', 'renewals'], v.number()),
  }),
);
const OpenRows = v.array(v.object({ call: v.number(), output: v.number(), provider: v.string() }));

export function createLedgerStore(
  { schema, owner, write }: Postgres,
  lease: Pick<ReplicaLease, 'judge'>,
): LedgerStore {
  const charges = createCharges(schema);
  const accounts = createAccounts(schema);
  const BEGIN = `
    INSERT INTO ${schema}.ledger (id, owner, token, day, outputs, reserved, allowance)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING id`;
  // A repeated call changes nothing.
  const OPEN = `
    INSERT INTO ${schema}.ledger_row (ledger, call, provider, output)
    SELECT $1, $2, $3, output FROM unnest($4::integer[]) AS output ON CONFLICT DO NOTHING`;
  const CLOSE_ROWS = `DELETE FROM ${schema}.ledger_row WHERE ledger = $1`;
  const RENEW = `
    UPDATE ${schema}.ledger SET outputs = $2, reserved = $3, renewals = $4 WHERE id = $1`;
  const LIST_ABANDONED = `
    SELECT ${COLUMNS} FROM ${schema}.ledger AS ledger
    WHERE owner IS NOT NULL AND ${isAbandonedSql(schema, 'ledger.owner')}
    ORDER BY token, day, id FOR UPDATE SKIP LOCKED`;

  async function openCall({ rows }: Queries, id: string, call: OpenCall): Promise<void> {
    await rows(OPEN, [id, call.call, call.provider, call.indices]);
  }

  return {
    reserve: (entry) =>
      write(async (queries) => {
        const { id, token, day, images, allowance } = entry;
        const columns = [id, owner, token, day, images, images, allowance];
        // A repeated reservation must not be charged again.
        const begun = await queries.rows(BEGIN, columns);
        if (begun.length > 0) await charges.reserve(queries, entry, images);
      }),
    begin: ({ id, token, day, images }, call) =>
      write(async (queries) => {
        await queries.rows(BEGIN, [id, owner, token, day, images, 0, undefined]);
        await openCall(queries, id, call);
      }),
    addCall: (id, call) => write((queries) => openCall(queries, id, call)),
    renew: (id, settlement, images) =>
      write(async (queries) => {
        const account = await accounts.lock(queries, id);
        if (!account || account.renewals > settlement.renewals) return;
        const reserved = account.reserved === 0 ? 0 : images;
        const more = reserved - account.reserved + chargedBy(settlement.counts);
        const limit = { ...account, allowance: account.allowance ?? undefined };
        if (more > 0) await charges.reserve(queries, limit, more);
        else await charges.charge(queries, account, more);
        await queries.rows(CLOSE_ROWS, [id]);
        await queries.rows(RENEW, [id, images, reserved, settlement.renewals + 1]);
        await charges.count(queries, account, settlement.counts);
      }),
    close: (id, settlement) =>
      write(async (queries) => {
        const account = await accounts.lock(queries, id);
        if (account) await accounts.close(queries, account, newIn(account, settlement));
      }),
    record: (entry, { counts }) =>
      write(async (queries) => {
        const account = await accounts.lock(queries, entry.id);
        if (account) await accounts.close(queries, account, counts);
        else await accounts.count(queries, { ...entry, reserved: 0 }, counts);
      }),
    recover: () =>
      write(async (queries) => {
        if (!(await lease.judge(queries))) return;
        const abandoned = v.parse(AccountRows, await queries.rows(LIST_ABANDONED, [owner]));
        for (const account of abandoned) {
          const counts = countsOfOpen(account, await accounts.listOpen(queries, account.id));
          await accounts.close(queries, account, counts);
        }
      }),
  };
}

/** Creates the functions that change the accounts of jobs within the caller's transaction. */
export function createJobAccounts({ schema }: Pick<Postgres, 'schema'>) {
  const charges = createCharges(schema);
  const accounts = createAccounts(schema);
  const BEGIN_JOB = `
    INSERT INTO ${schema}.ledger (id, owner, token, day, outputs, reserved, allowance)
    SELECT id, NULL, token, day, outputs, outputs, allowance
    FROM ${schema}.job JOIN ${schema}.job_content USING (seq) WHERE seq = $1`;
  const FIND_QUEUED = `
    SELECT token, day, outputs FROM ${schema}.job JOIN ${schema}.job_content USING (seq)
    WHERE seq = $1`;

  return {
    /** Begins the account of a claimed job. Its outputs were charged when the job was queued. The account has no owner. */
    async begin({ rows }: Queries, sequence: number): Promise<void> {
      await rows(BEGIN_JOB, [sequence]);
    },

    /** Reduces the charge by the outputs of a queued job. */
    async giveBack(queries: Queries, sequence: number): Promise<void> {
      const [job] = v.parse(QueuedRows, await queries.rows(FIND_QUEUED, [sequence]));
      if (job) await charges.charge(queries, job, -job.outputs);
    },

    /**
     * Ends the account of a job. Without a settlement, outputs that may have been sent count as unknown, or as images if their
     * images are kept. All other outputs count as failed.
     */
    async close(queries: Queries, id: string, { settlement, kept }: JobAccountEnd): Promise<void> {
      const account = await accounts.lock(queries, id);
      if (!account) return;
      const counts = settlement
        ? newIn(account, settlement)
        : countsOfOpen(account, await accounts.listOpen(queries, id), kept);
      await accounts.close(queries, account, counts);
    },
  };
}

const QueuedRows = v.array(
  v.object({ token: v.string(), ...v.entriesFromList(['day', 'outputs'], v.number()) }),
);

function createAccounts(schema: string) {
  const charges = createCharges(schema);
  const LOCK = `SELECT ${COLUMNS} FROM ${schema}.ledger WHERE id = $1 FOR UPDATE`;
  const LIST_OPEN = `
    SELECT call, output, provider FROM ${schema}.ledger_row WHERE ledger = $1 ORDER BY call, output`;
  // The rows of the account's calls are deleted with the account.
  const CLOSE = `DELETE FROM ${schema}.ledger WHERE id = $1`;

  /** Counts the outputs of a closed account and releases the unused reservation. */
  async function count(
    queries: Queries,
    account: Pick<StoredAccount, 'token' | 'day' | 'reserved'>,
    counts: readonly ProviderCounts[],
  ): Promise<void> {
    await charges.charge(queries, account, chargedBy(counts) - account.reserved);
    await charges.count(queries, account, counts);
  }

  return {
    count,

    async lock({ rows }: Queries, id: string): Promise<StoredAccount | undefined> {
      return v.parse(AccountRows, await rows(LOCK, [id]))[0];
    },

    async listOpen({ rows }: Queries, id: string) {
      return v.parse(OpenRows, await rows(LIST_OPEN, [id]));
    },

    async close(
      queries: Queries,
      account: StoredAccount,
      counts: readonly ProviderCounts[],
    ): Promise<void> {
      await queries.rows(CLOSE, [account.id]);
      await count(queries, account, counts);
    },
  };
}
