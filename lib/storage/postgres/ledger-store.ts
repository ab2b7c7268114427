import * as v from 'valibot';
import type { Amount } from '../../contract/reply/cost.ts';
import type { EarlierImage, EarlierWork } from '../../generation/earlier-work-port.ts';
import type {
  AcceptedCall,
  BilledCall,
  LedgerEntry,
  LedgerStore,
  OpenCall,
  ProviderCounts,
  Settlement,
} from '../../generation/ledger/ledger-store-port.ts';
import {
  ACCOUNT_COLUMNS,
  AccountRow,
  CHARGED_OUTPUTS,
  EarlierRows,
  OPEN_COLUMNS,
  OpenRows,
} from '../account-rows.ts';
import {
  chargedBy,
  countsOfOpen,
  endedAccount,
  type JobAccountEnd,
  newIn,
  notOwnAccount,
  type StoredAccount,
  toEarlierWork,
} from '../accounts.ts';
import {
  HELD_COLUMNS,
  heldColumns,
  limitOf,
  missingAmount,
  StoredAmount,
  spentBy,
} from '../budgets.ts';
import type { Attempt } from './attempts.ts';
import { createBilledCalls } from './billing-store.ts';
import type { Postgres, Queries } from './connection.ts';
import { isAbandonedSql, type ReplicaLease } from './replica-lease.ts';
import { createCharges } from './usage-store.ts';

const AccountRows = v.array(AccountRow);

// As many rejected records as the caller keeps.
const MAX_RECORDS = 10_000;

// The number of accounts that are recovered in one transaction.
const RECOVERED = 100;

export function createLedgerStore(
  postgres: Postgres,
  lease: Pick<ReplicaLease, 'judge'>,
): LedgerStore {
  const { schema, owner, write } = postgres;
  const recoverSome = createRecovery(postgres, lease);
  const charges = createCharges(schema);
  const accounts = createAccounts(schema);
  const calls = createCalls(schema);
  const raise = createRaise(schema, accounts);
  const records = createRecords(postgres);
  const RENEW = `
    UPDATE ${schema}.ledger SET outputs = $2, reserved = $3, renewals = $4 WHERE id = $1`;

  return {
    reserve: (entry) =>
      write(async (queries) => {
        // A repeated reservation must not be charged again.
        if (!(await accounts.begin(queries, { ...entry, owner, reserved: entry.images }))) return;
        await charges.reserve(queries, entry, entry.images);
        const { budget } = entry;
        if (budget) await charges.reserveMoney(queries, { ...entry, ...budget }, budget.held);
      }),
    begin: ({ id, token, day, images }, call) =>
      write(async (queries) => {
        await accounts.begin(queries, { id, owner, token, day, images, reserved: 0 });
        await calls.open(queries, id, call);
      }),
    addCall: (id, call, needed) =>
      write(async (queries) => {
        await accounts.lockOwn(queries, id, owner, endedAccount);
        if (needed !== undefined) await raise(queries, id, needed);
        await calls.open(queries, id, call);
      }),
    accept: (id, call) =>
      write(async (queries) => {
        await accounts.lockOwn(queries, id, owner);
        await calls.accept(queries, id, call);
      }),
    withdrawTicket: (id, call) =>
      write(async (queries) => {
        await accounts.lockOwn(queries, id, owner);
        await calls.withdrawTicket(queries, id, call);
      }),
    renew: (id, settlement, images) =>
      write(async (queries) => {
        const account = await accounts.lock(queries, id);
        if (!account || account.renewals > settlement.renewals) return;
        await accounts.lockOwn(queries, id, owner);
        const reserved = account.reserved === 0 ? 0 : images;
        const more = reserved - account.reserved + chargedBy(settlement.counts);
        const limit = { ...account, allowance: account.allowance ?? undefined };
        if (more > 0) await charges.reserve(queries, limit, more);
        else await charges.charge(queries, account, more);
        const spent = spentBy(account, settlement.counts);
        await charges.reserveMoney(queries, limitOf(account), spent);
        await calls.close(queries, id);
        await queries.rows(RENEW, [id, images, reserved, settlement.renewals + 1]);
        await accounts.countCalls(queries, account, settlement);
      }),
    close: (id, settlement) =>
      write(async (queries) => {
        const account = await accounts.lock(queries, id);
        if (account) await accounts.settle(queries, account, settlement);
      }),
    record: (entry, { counts, calls }) =>
      records.run(entry.id, async (queries) => {
        const account = await accounts.lock(queries, entry.id);
        const nothing = { ...entry, reserved: 0, held: 0n, outputs: entry.images };
        if (account) await accounts.close(queries, account, counts, calls);
        else await accounts.count(queries, nothing, counts, calls);
      }),
    async recover() {
      while ((await recoverSome()) === RECOVERED);
    },
  };
}

/**
 * Creates the function that raises the reserved amount of an account to `needed` if the account has a budget. The function throws
 * `rate_limited`, and the transaction must end, if the budget is too small.
 */
function createRaise(
  schema: string,
  { lock }: Pick<ReturnType<typeof createAccounts>, 'lock'>,
): (queries: Queries, id: string, needed: Amount) => Promise<void> {
  const charges = createCharges(schema);
  const HOLD = `UPDATE ${schema}.ledger SET held = held + $2 WHERE id = $1`;
  return async (queries, id, needed) => {
    const account = await lock(queries, id);
    const missing = account ? missingAmount(account, needed) : 0n;
    if (!account || missing === 0n) return;
    await charges.reserveMoney(queries, limitOf(account), missing);
    await queries.rows(HOLD, [id, missing]);
  };
}

/**
 * Creates the writes of requests whose accounts may not have begun. No row shows that such a request has been counted, so the writes
 * of unknown outcome are kept in memory until they are repeated.
 */
function createRecords({ attempt }: Postgres) {
  const unknown = new Map<string, Attempt<void>>();

  return {
    async run(id: string, work: (queries: Queries) => Promise<void>): Promise<void> {
      const record = unknown.get(id) ?? attempt(work);
      unknown.set(id, record);
      const [oldest] = unknown.keys();
      if (unknown.size > MAX_RECORDS && oldest !== undefined) unknown.delete(oldest);
      await record.run();
      unknown.delete(id);
    },
  };
}

/** Creates the function that closes accounts of ended replicas, and resolves with their number. */
function createRecovery({ schema, owner, write }: Postgres, lease: Pick<ReplicaLease, 'judge'>) {
  const accounts = createAccounts(schema);
  const LIST_ABANDONED = `
    SELECT ${ACCOUNT_COLUMNS} FROM ${schema}.ledger AS ledger
    WHERE owner IS NOT NULL AND ${isAbandonedSql(schema, 'ledger.owner')}
    ORDER BY token, day, id LIMIT ${RECOVERED} FOR UPDATE SKIP LOCKED`;

  return () =>
    write(async (queries) => {
      if (!(await lease.judge(queries))) return 0;
      const abandoned = v.parse(AccountRows, await queries.rows(LIST_ABANDONED, [owner]));
      for (const account of abandoned) {
        const counts = countsOfOpen(account, await accounts.listOpen(queries, account.id));
        await accounts.close(queries, account, counts);
      }
      return abandoned.length;
    });
}

/** Creates the functions that change the calls of an account within the caller's transaction. */
function createCalls(schema: string) {
  // A repeated call changes nothing.
  const OPEN = `
    INSERT INTO ${schema}.ledger_row (ledger, call, provider, model_name, output)
    SELECT $1, $2, $3, $4, output FROM unnest($5::integer[]) AS output ON CONFLICT DO NOTHING`;
  const CLOSE_ROWS = `DELETE FROM ${schema}.ledger_row WHERE ledger = $1`;
  const ACCEPT = `
    INSERT INTO ${schema}.ledger_ticket (ledger, call, model, ticket) VALUES ($1, $2, $3, $4)
    ON CONFLICT (ledger, call) DO UPDATE SET model = excluded.model, ticket = excluded.ticket`;
  const WITHDRAW_TICKET = `DELETE FROM ${schema}.ledger_ticket WHERE ledger = $1 AND call = $2`;
  const WITHDRAW_TICKETS = `DELETE FROM ${schema}.ledger_ticket WHERE ledger = $1`;

  return {
    async open({ rows }: Queries, id: string, call: OpenCall): Promise<void> {
      await rows(OPEN, [id, call.call, call.provider, call.model, call.indices]);
    },

    async accept({ rows }: Queries, id: string, call: AcceptedCall): Promise<void> {
      await rows(ACCEPT, [id, call.call, call.model, call.ticket]);
    },

    async withdrawTicket({ rows }: Queries, id: string, call: number): Promise<void> {
      await rows(WITHDRAW_TICKET, [id, call]);
    },

    /** Deletes the calls and their tickets. */
    async close({ rows }: Queries, id: string): Promise<void> {
      await rows(CLOSE_ROWS, [id]);
      await rows(WITHDRAW_TICKETS, [id]);
    },
  };
}

/** Creates the functions that change the accounts of jobs within the caller's transaction. */
export function createJobAccounts({ schema }: Pick<Postgres, 'schema'>) {
  const charges = createCharges(schema);
  const accounts = createAccounts(schema);
  const BEGIN_JOBS = `
    INSERT INTO ${schema}.ledger (
      id, owner, token, day, outputs, reserved, allowance, ${HELD_COLUMNS}
    )
    SELECT id, NULL, token, day, ${CHARGED_OUTPUTS}, ${CHARGED_OUTPUTS}, allowance, ${HELD_COLUMNS}
    FROM ${schema}.job JOIN ${schema}.job_content USING (seq) WHERE seq = ANY ($1::bigint[])`;
  const LIST_EARLIER = `
    SELECT call, output, provider, model, ticket
    FROM ${schema}.ledger_row LEFT JOIN ${schema}.ledger_ticket USING (ledger, call)
    WHERE ledger = $1 ORDER BY call, output`;
  // The order in which accounts change their charges.
  const SUM_QUEUED = `
    SELECT token, day, sum(${CHARGED_OUTPUTS})::bigint AS reserved, sum(held)::bigint AS held
    FROM ${schema}.job JOIN ${schema}.job_content USING (seq) WHERE seq = ANY ($1::bigint[])
    GROUP BY token, day ORDER BY token, day`;

  return {
    /** Begins the accounts of claimed jobs. Their outputs were charged when the jobs were queued. The accounts have no owner. */
    async begin({ rows }: Queries, sequences: readonly number[]): Promise<void> {
      await rows(BEGIN_JOBS, [sequences]);
    },

    /** Resolves with the open calls of a job that continues, with its images. Resolves with undefined if no call has a ticket. */
    async findEarlierWork(
      queries: Queries,
      id: string,
      images: readonly EarlierImage[],
    ): Promise<EarlierWork | undefined> {
      // A call that the ended process is opening at this moment is either committed before this lock or refused after it.
      const account = await accounts.lock(queries, id);
      const outputs = v.parse(EarlierRows, await queries.rows(LIST_EARLIER, [id]));
      return account && toEarlierWork(account, outputs, images);
    },

    /** Releases the outputs and the money that are reserved for queued jobs. */
    async giveBack(queries: Queries, sequences: readonly number[]): Promise<void> {
      if (sequences.length === 0) return;
      const sums = v.parse(ChargedRows, await queries.rows(SUM_QUEUED, [sequences]));
      for (const { reserved, held, ...day } of sums) {
        await charges.charge(queries, day, -reserved);
        await charges.spend(queries, day, -held);
      }
    },

    /**
     * Ends the accounts of jobs by the ids of the jobs. Without a settlement, outputs that may have been sent count as unknown, or
     * as images if their images are kept. All other outputs count as failed.
     */
    async close(queries: Queries, ends: ReadonlyMap<string, JobAccountEnd>): Promise<void> {
      for (const account of await accounts.lockAll(queries, [...ends.keys()])) {
        const { settlement, kept } = ends.get(account.id) ?? { settlement: undefined };
        if (settlement) await accounts.settle(queries, account, settlement);
        else {
          const counts = countsOfOpen(account, await accounts.listOpen(queries, account.id), kept);
          await accounts.close(queries, account, counts);
        }
      }
    },
  };
}

const ChargedRows = v.array(
  v.object({
    token: v.string(),
    held: StoredAmount,
    ...v.entriesFromList(['day', 'reserved'], v.number()),
  }),
);

/** An account that begins. `reserved` is the number of its outputs that are charged already. */
type NewAccount = Pick<LedgerEntry, 'id' | 'token' | 'day' | 'images'> &
  Partial<Pick<LedgerEntry, 'allowance' | 'budget'>> & {
    readonly owner: string;
    readonly reserved: number;
  };

function createAccounts(schema: string) {
  const charges = createCharges(schema);
  const addBilled = createBilledCalls(schema);
  const BEGIN = `
    INSERT INTO ${schema}.ledger (
      id, owner, token, day, outputs, reserved, allowance, ${HELD_COLUMNS}
    )
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING RETURNING id`;
  const LOCK = `
    SELECT ${ACCOUNT_COLUMNS} FROM ${schema}.ledger WHERE id = ANY ($1::text[])
    ORDER BY token, day, id FOR UPDATE`;
  const LOCK_OWN = `
    SELECT owner IS NULL AS "isOfJob" FROM ${schema}.ledger WHERE id = $1 FOR UPDATE`;
  const RUNS_HERE = `
    SELECT FROM ${schema}.job WHERE id = $1 AND status = 'running' AND owner = $2`;
  const LIST_OPEN = `
    SELECT ${OPEN_COLUMNS} FROM ${schema}.ledger_row WHERE ledger = $1 ORDER BY call, output`;
  // The rows and tickets of the account's calls are deleted with the account.
  const CLOSE = `DELETE FROM ${schema}.ledger WHERE id = $1`;

  /** Locks accounts, and resolves with the accounts in the order in which their charges must be changed. */
  async function lockAll(
    { rows }: Queries,
    ids: readonly string[],
  ): Promise<readonly StoredAccount[]> {
    return ids.length === 0 ? [] : v.parse(AccountRows, await rows(LOCK, [ids]));
  }

  /** Counts the outputs of a closed account and releases the unused reservation. */
  async function count(
    queries: Queries,
    account: Pick<StoredAccount, 'token' | 'day' | 'reserved' | 'held' | 'outputs'>,
    counts: readonly ProviderCounts[],
    calls?: readonly BilledCall[],
  ): Promise<void> {
    await charges.charge(queries, account, chargedBy(counts) - account.reserved);
    await charges.spend(queries, account, spentBy(account, counts) - account.held);
    await charges.count(queries, account, counts);
    await addBilled(queries, account, calls);
  }

  async function close(
    queries: Queries,
    account: StoredAccount,
    counts: readonly ProviderCounts[],
    calls?: readonly BilledCall[],
  ): Promise<void> {
    await queries.rows(CLOSE, [account.id]);
    await count(queries, account, counts, calls);
  }

  return {
    count,

    /** Counts calls without a change of the reservation. */
    async countCalls(
      queries: Queries,
      account: StoredAccount,
      { counts, calls }: Settlement,
    ): Promise<void> {
      await charges.count(queries, account, counts);
      await addBilled(queries, account, calls);
    },

    /** Begins an account. Resolves with false, and changes nothing, if the account has begun already. */
    async begin({ rows }: Queries, account: NewAccount): Promise<boolean> {
      const { id, owner, token, day, images, reserved, allowance } = account;
      const { held, budgetPerDay, budgetPerMonth } = heldColumns(account);
      const columns = [id, owner, token, day, images, reserved, allowance];
      const begun = await rows(BEGIN, [...columns, held, budgetPerDay, budgetPerMonth]);
      return begun.length > 0;
    },

    lockAll,

    lock: async (queries: Queries, id: string) => (await lockAll(queries, [id]))[0],

    /**
     * Locks the account. Throws the error `missing` if there is no account, and `internal` if its job does not run in this process.
     * Another statement reads the job, because the job may have moved to another replica while the first statement waited.
     */
    async lockOwn(
      { rows }: Queries,
      id: string,
      owner: string,
      missing = notOwnAccount,
    ): Promise<void> {
      const [account] = await rows<{ isOfJob: boolean }>(LOCK_OWN, [id]);
      if (!account) throw missing();
      if (account.isOfJob && (await rows(RUNS_HERE, [id, owner])).length === 0) {
        throw notOwnAccount();
      }
    },

    async listOpen({ rows }: Queries, id: string) {
      return v.parse(OpenRows, await rows(LIST_OPEN, [id]));
    },

    close,

    /** Closes an account with the counts that are not stored yet. */
    settle: (queries: Queries, account: StoredAccount, settlement: Settlement): Promise<void> =>
      close(queries, account, newIn(account, settlement), settlement.calls),
  };
}
