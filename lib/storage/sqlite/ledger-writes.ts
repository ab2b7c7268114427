import * as v from 'valibot';
import type {
  LedgerEntry,
  OpenCall,
  ProviderCounts,
  Settlement,
} from '../../generation/ledger/ledger-store-port.ts';
import { chargedBy, prepareCharges } from './charges.ts';
import type { StoreDatabase } from './database.ts';

const BEGIN = `
  INSERT INTO ledger (id, seq, owner, token, day, outputs, reserved, allowance)
  VALUES (@id, @seq, @owner, @token, @day, @images, @reserved, @allowance)
  ON CONFLICT (id) DO NOTHING`;
const OPEN = `
  INSERT INTO ledger_row (ledger, call, output, provider) VALUES (@id, @call, @output, @provider)`;
const FIND =
  'SELECT id, token, day, outputs, reserved, allowance, renewals FROM ledger WHERE id = ?';
const FIND_OF_JOB =
  'SELECT id, token, day, outputs, reserved, allowance, renewals FROM ledger WHERE seq = ?';
const LIST_ROWS = 'SELECT call, output, provider FROM ledger_row WHERE ledger = ? ORDER BY call';
const CLOSE_ROWS = 'DELETE FROM ledger_row WHERE ledger = ?';
const CLOSE = 'DELETE FROM ledger WHERE id = ?';
const RENEW = `
  UPDATE ledger SET outputs = @images, reserved = @reserved, renewals = @renewals WHERE id = @id`;
const LedgerRow = v.object({
  id: v.string(),
  token: v.string(),
  day: v.number(),
  outputs: v.number(),
  reserved: v.number(),
  allowance: v.nullable(v.number()),
  renewals: v.number(),
});
type LedgerRow = v.InferOutput<typeof LedgerRow>;
const FoundLedger = v.optional(LedgerRow);
const LedgerRows = v.array(LedgerRow);
const OpenRows = v.array(v.object({ call: v.number(), output: v.number(), provider: v.string() }));

/** Changes accounts inside the transaction of its caller. */

export function prepareLedger(database: Pick<StoreDatabase, 'prepare'>) {
  const sums = prepareCharges(database);
  const begin = database.prepare(BEGIN);
  const open = database.prepare(OPEN);
  const find = database.prepare(FIND);
  const findOfJob = database.prepare(FIND_OF_JOB);
  const listRows = database.prepare(LIST_ROWS);
  const closeRows = database.prepare(CLOSE_ROWS);
  const close = database.prepare(CLOSE);
  const renew = database.prepare(RENEW);
  const openRows = (id: string) => v.parse(OpenRows, listRows.all(id));

  function end(ledger: LedgerRow, counts: readonly ProviderCounts[]): void {
    closeRows.run(ledger.id);
    close.run(ledger.id);
    sums.count(ledger, counts);
    sums.charge(ledger, chargedBy(counts) - ledger.reserved);
  }

  return {
    refuseBeyondAllowance: sums.refuseBeyondAllowance,

    /** Reserves all outputs of a request or a job. */
    reserve(entry: LedgerEntry, owner: string | null, sequence?: number): void {
      const { id, token, day, images, allowance = null } = entry;
      const seq = sequence ?? null;
      begin.run({ id, seq, owner, token, day, images, reserved: images, allowance });
      sums.charge(entry, images);
    },

    /** Begins an account without a reservation. Does nothing if it exists. */
    begin({ id, token, day, images }: LedgerEntry, owner: string): void {
      begin.run({ id, seq: null, owner, token, day, images, reserved: 0, allowance: null });
    },

    open(id: string, { call, provider, indices }: OpenCall): void {
      for (const output of indices) open.run({ id, call, output, provider });
    },

    /** Counts the open rows. Reserves so many outputs, if the account has a reservation. */
    renew(id: string, settlement: Settlement, images: number): void {
      const ledger = v.parse(FoundLedger, find.get(id));
      if (!ledger || ledger.renewals > settlement.renewals) return;
      const reserved = ledger.reserved === 0 ? 0 : images;
      const more = reserved - ledger.reserved + chargedBy(settlement.counts);
      sums.refuseBeyondAllowance({ ...ledger, allowance: ledger.allowance ?? undefined }, more);
      closeRows.run(id);
      renew.run({ id, images, reserved, renewals: settlement.renewals + 1 });
      sums.count(ledger, settlement.counts);
      sums.charge(ledger, more);
    },

    record(entry: LedgerEntry, { counts }: Settlement): void {
      const ledger = v.parse(FoundLedger, find.get(entry.id));
      if (ledger) {
        end(ledger, counts);
        return;
      }
      sums.count(entry, counts);
      sums.charge(entry, chargedBy(counts));
    },

    /** Ends an account. Does nothing if it has ended. */
    close(id: string, settlement: Settlement): void {
      const ledger = v.parse(FoundLedger, find.get(id));
      if (ledger) end(ledger, newIn(ledger, settlement));
    },

    /**
     * Ends the account of a job. Without a settlement, outputs that may have been sent are unknown, unless their images are
     * kept; the others have failed.
     */
    closeJob(sequence: number, { settlement, kept = NONE }: JobAccountEnd): void {
      const ledger = v.parse(FoundLedger, findOfJob.get(sequence));
      if (ledger)
        end(
          ledger,
          settlement
            ? newIn(ledger, settlement)
            : countsOf(ledger.outputs, openRows(ledger.id), kept),
        );
    },

    closeAbandoned(ledgers: readonly unknown[]): void {
      for (const ledger of v.parse(LedgerRows, ledgers)) {
        end(ledger, countsOf(ledger.outputs, openRows(ledger.id), NONE));
      }
    },
  };
}

const NONE: ReadonlySet<number> = new Set();

/** Gives back all that was reserved, and counts nothing. */
export const NOTHING_COUNTED: Settlement = { renewals: 0, counts: [] };

/** How the account of a job ends. */
interface JobAccountEnd {
  readonly settlement: Settlement | undefined;
  /** The outputs whose images are kept. */
  readonly kept?: ReadonlySet<number>;
}

const NOTHING = { images: 0, lost: 0, unknown: 0, failed: 0, tokens: undefined } as const;

/** The counts that are new to the store: an account whose renewal was reported as a failure has counted its calls. */
function newIn(ledger: LedgerRow, { renewals, counts }: Settlement): readonly ProviderCounts[] {
  if (ledger.renewals <= renewals) return counts;
  return counts.map(({ provider, failed }) => ({ ...NOTHING, provider, failed }));
}

/** Counts what may have been sent as unknown, but for the outputs that were kept. */
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
