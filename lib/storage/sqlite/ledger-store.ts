import * as v from 'valibot';
import type {
  LedgerStore,
  OpenCall,
  ProviderCounts,
  Settlement,
} from '../../generation/ledger/ledger-store-port.ts';
import type { StoreDatabase } from './database.ts';
import { isAbandonedSql } from './owner-lease.ts';
import { chargedBy, prepareCharges } from './usage-store.ts';

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
  INSERT INTO ledger_row (ledger, call, output, provider) VALUES (@id, @call, @output, @provider)`;
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
type LedgerRow = v.InferOutput<typeof LedgerRow>;
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
        sums.reserve(entry, images);
        begin.run({ id, owner, token, day, images, reserved: images, allowance });
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
    recover: (nowSecs) =>
      database.write(() => {
        for (const ledger of v.parse(LedgerRows, listAbandoned.all({ owner, nowSecs }))) {
          accounts.close(ledger, accounts.openCounts(ledger, NONE));
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
    close(id: string, { settlement, kept = NONE }: JobAccountEnd): void {
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
    ledger: Pick<LedgerRow, 'token' | 'day' | 'reserved'>,
    counts: readonly ProviderCounts[],
  ): void {
    sums.count(ledger, counts);
    sums.charge(ledger, chargedBy(counts) - ledger.reserved);
  }

  return {
    count,
    find: (id: string): LedgerRow | undefined => v.parse(FoundLedger, find.get(id)),

    close(ledger: LedgerRow, counts: readonly ProviderCounts[]): void {
      close.run(ledger.id);
      count(ledger, counts);
    },

    /** Returns the counts of an account without a reported end. Outputs that may have been sent count as unknown. */
    openCounts({ id, outputs }: LedgerRow, kept: ReadonlySet<number>): readonly ProviderCounts[] {
      return countsOf(outputs, v.parse(OpenRows, listRows.all(id)), kept);
    },
  };
}

const NONE: ReadonlySet<number> = new Set();

/** The settlement of an account without calls. This settlement releases the whole reservation and counts nothing. */
export const NOTHING_COUNTED: Settlement = { renewals: 0, counts: [] };

/** The end of the account of a job. */
interface JobAccountEnd {
  readonly settlement: Settlement | undefined;
  /** The indices of the outputs with kept images. */
  readonly kept?: ReadonlySet<number>;
}

const NOTHING = { images: 0, lost: 0, unknown: 0, failed: 0, tokens: undefined } as const;

/**
 * Returns the counts that are not stored yet. If a renewal succeeded although it was reported as failed, the calls of the
 * renewal are already counted.
 */
function newIn(ledger: LedgerRow, { renewals, counts }: Settlement): readonly ProviderCounts[] {
  if (ledger.renewals <= renewals) return counts;
  return counts.map(({ provider, failed }) => ({ ...NOTHING, provider, failed }));
}

/** Counts outputs that may have been sent as unknown, and kept outputs as images. */
function countsOf(
  outputs: number,
  rows: v.InferOutput<typeof OpenRows>,
  kept: ReadonlySet<number>,
): readonly ProviderCounts[] {
  const last = new Map(rows.map((row) => [row.output, row]));
  const counts = rows.map((row): ProviderCounts => {
    const isKept = kept.has(row.output) && last.get(row.output) === row;
    const { provider } = row;
    return { ...NOTHING, provider, images: Number(isKept), unknown: Number(!isKept) };
  });
  const failed = Math.max(0, outputs - last.size);
  return [...counts, { ...NOTHING, provider: '', failed }];
}
