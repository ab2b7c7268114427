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
import type { StoreDatabase } from './database.ts';
import { isAbandonedSql } from './owner-lease.ts';
import { prepareCharges } from './usage-store.ts';

const BEGIN = `
  INSERT INTO ledger (id, owner, token, day, outputs, reserved, allowance)
  VALUES (@id, @owner, @token, @day, @images, @reserved, @allowance)
  ON CONFLICT (id) DO NOTHING`;
const BEGIN_JOB = `
  INSERT INTO ledger (id, owner, token, day, outputs, reserved, allowance)
  SELECT id, NULL, token, day, outputs, outputs, allowance
  FROM job JOIN job_content ON job_content.seq = job.seq WHERE job.seq = +?`;
const FIND_QUEUED = `
  SELECT token, day, outputs AS reserved
  FROM job JOIN job_content ON job_content.seq = job.seq WHERE job.seq = +?`;
const OPEN = `
  INSERT INTO ledger_row (ledger, call, output, provider) VALUES (@id, @call, @output, @provider)
  ON CONFLICT DO NOTHING`;
const COLUMNS = 'id, token, day, outputs, reserved, allowance, renewals';
const FIND = `SELECT ${COLUMNS} FROM ledger WHERE id = ?`;
const LIST_ROWS = 'SELECT call, output, provider FROM ledger_row WHERE ledger = +? ORDER BY call';
const CLOSE_ROWS = 'DELETE FROM ledger_row WHERE ledger = ?';
// The rows of the account's calls are deleted with the account.
const CLOSE = 'DELETE FROM ledger WHERE id = ?';
const RENEW = `
  UPDATE ledger SET outputs = @images, reserved = @reserved, renewals = @renewals WHERE id = @id`;
const LIST_ABANDONED = `
  SELECT ${COLUMNS} FROM ledger
  WHERE owner IS NOT NULL AND ${isAbandonedSql('ledger')}`;

const LedgerRow = v.object({
  id: v.string(),
  token: v.string(),
  allowance: v.nullable(v.number()),
  ...v.entriesFromList(['day', 'outputs', 'reserved', 'renewals'], v.number()),
});
const FoundLedger = v.optional(LedgerRow);
const QueuedRow = v.pick(LedgerRow, ['token', 'day', 'reserved']);
const LedgerRows = v.array(LedgerRow);
const OpenRows = v.array(v.object({ call: v.number(), output: v.number(), provider: v.string() }));

export function createLedgerStore(database: StoreDatabase): LedgerStore {
  const sums = prepareCharges(database);
  const accounts = prepareAccounts(database, sums);
  const begin = database.prepare(BEGIN);
  const open = database.prepare(OPEN);
  const closeRows = database.prepare(CLOSE_ROWS);
  const renew = database.prepare(RENEW);
  const listAbandoned = database.prepare(LIST_ABANDONED);
  const { owner } = database;

  function openCall(id: string, { call, provider, indices }: OpenCall): void {
    for (const output of indices) open.run({ id, call, output, provider });
  }

  return {
    reserve: (entry) =>
      database.write(() => {
        const { id, token, day, images, allowance = null } = entry;
        // A repeated reservation must not be charged again.
        const begun = begin.run({ id, owner, token, day, images, reserved: images, allowance });
        if (begun.changes > 0) sums.reserve(entry, images);
      }),
    begin: ({ id, token, day, images }, call) =>
      database.write(() => {
        begin.run({ id, owner, token, day, images, reserved: 0, allowance: null });
        openCall(id, call);
      }),
    addCall: (id, call) => database.write(() => openCall(id, call)),
    renew: (id, settlement, images) =>
      database.write(() => {
        const ledger = accounts.find(id);
        if (!ledger || ledger.renewals > settlement.renewals) return;
        const reserved = ledger.reserved === 0 ? 0 : images;
        const more = reserved - ledger.reserved + chargedBy(settlement.counts);
        sums.refuseBeyondAllowance({ ...ledger, allowance: ledger.allowance ?? undefined }, more);
        closeRows.run(id);
        renew.run({ id, images, reserved, renewals: settlement.renewals + 1 });
        sums.count(ledger, settlement.counts);
        sums.charge(ledger, more);
      }),
    close: (id, settlement) =>
      database.write(() => {
        const ledger = accounts.find(id);
        if (ledger) accounts.close(ledger, newIn(ledger, settlement));
      }),
    record: (entry, { counts }) =>
      database.write(() => {
        const ledger = accounts.find(entry.id);
        if (ledger) accounts.close(ledger, counts);
        else accounts.count({ ...entry, reserved: 0 }, counts);
      }),
    recover: () =>
      database.write(() => {
        for (const ledger of v.parse(LedgerRows, listAbandoned.all({ owner }))) {
          accounts.close(ledger, accounts.openCounts(ledger));
        }
      }),
  };
}

/** Prepares the statements that change the accounts of jobs within the caller's transaction. */
export function prepareJobAccounts(database: Pick<StoreDatabase, 'prepare'>) {
  const sums = prepareCharges(database);
  const accounts = prepareAccounts(database, sums);
  const begin = database.prepare(BEGIN_JOB);
  const findQueued = database.prepare(FIND_QUEUED);

  return {
    /** Begins the account of a claimed job. Its outputs were charged when the job was queued. The account has no owner. */
    begin: (sequence: number): void => void begin.run(sequence),

    /** Reduces the charge by the outputs of a queued job. */
    giveBack(sequence: number): void {
      const { reserved, ...day } = v.parse(QueuedRow, findQueued.get(sequence));
      sums.charge(day, -reserved);
    },

    /**
     * Ends the account of a job. Without a settlement, outputs that may have been sent count as unknown, or as images if their
     * images are kept. All other outputs count as failed.
     */
    close(id: string, { settlement, kept }: JobAccountEnd): void {
      const ledger = accounts.find(id);
      if (!ledger) return;
      const counts = settlement ? newIn(ledger, settlement) : accounts.openCounts(ledger, kept);
      accounts.close(ledger, counts);
    },
  };
}

function prepareAccounts(
  database: Pick<StoreDatabase, 'prepare'>,
  sums: Pick<ReturnType<typeof prepareCharges>, 'charge' | 'count'>,
) {
  const find = database.prepare(FIND);
  const listRows = database.prepare(LIST_ROWS);
  const close = database.prepare(CLOSE);

  /** Counts the outputs of a closed account and releases the unused reservation. */
  function count(
    ledger: Pick<StoredAccount, 'token' | 'day' | 'reserved'>,
    counts: readonly ProviderCounts[],
  ): void {
    sums.count(ledger, counts);
    sums.charge(ledger, chargedBy(counts) - ledger.reserved);
  }

  return {
    count,
    find: (id: string): StoredAccount | undefined => v.parse(FoundLedger, find.get(id)),

    close(ledger: StoredAccount, counts: readonly ProviderCounts[]): void {
      close.run(ledger.id);
      count(ledger, counts);
    },

    /** Returns the counts of an account without a reported end. Outputs that may have been sent count as unknown. */
    openCounts(ledger: StoredAccount, kept?: ReadonlySet<number>): readonly ProviderCounts[] {
      return countsOfOpen(ledger, v.parse(OpenRows, listRows.all(ledger.id)), kept);
    },
  };
}
