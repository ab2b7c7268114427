import * as v from 'valibot';
import type { Amount } from '../../contract/reply/cost.ts';
import type { EarlierImage, EarlierWork } from '../../generation/earlier-work-port.ts';
import type {
  AcceptedCall,
  BilledCall,
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
import { HELD_COLUMNS, heldColumns, limitOf, missingAmount, spentBy } from '../budgets.ts';
import { prepareBilledCalls } from './billing-store.ts';
import type { StoreDatabase } from './database.ts';
import { isAbandonedSql } from './owner-lease.ts';
import { prepareCharges } from './usage-store.ts';

const BEGIN = `
  INSERT INTO ledger (id, owner, token, day, outputs, reserved, allowance, ${HELD_COLUMNS})
  VALUES (
    @id, @owner, @token, @day, @images, @reserved, @allowance,
    @held, @budgetPerDay, @budgetPerMonth
  )
  ON CONFLICT (id) DO NOTHING`;
const BEGIN_JOB = `
  INSERT INTO ledger (id, owner, token, day, outputs, reserved, allowance, ${HELD_COLUMNS})
  SELECT id, NULL, token, day, ${CHARGED_OUTPUTS}, ${CHARGED_OUTPUTS}, allowance, ${HELD_COLUMNS}
  FROM job JOIN job_content ON job_content.seq = job.seq WHERE job.seq = +?`;
const FIND_QUEUED = `
  SELECT token, day, ${CHARGED_OUTPUTS} AS reserved, held
  FROM job JOIN job_content ON job_content.seq = job.seq WHERE job.seq = +?`;
const OPEN = `
  INSERT INTO ledger_row (ledger, call, output, provider, model_name)
  VALUES (@id, @call, @output, @provider, @model)
  ON CONFLICT DO NOTHING`;
/** Binds `@id` and `@owner`. The account of a job belongs to the process that runs the job. */
const IS_OWN = `
  SELECT 1 FROM ledger WHERE id = @id AND (
    owner IS NOT NULL
    OR EXISTS (SELECT 1 FROM job WHERE job.id = ledger.id AND status = 'running' AND job.owner = @owner)
  )`;
const ACCEPT = `
  INSERT INTO ledger_ticket (ledger, call, model, ticket) VALUES (@id, @call, @model, @ticket)
  ON CONFLICT (ledger, call) DO UPDATE SET model = excluded.model, ticket = excluded.ticket`;
const WITHDRAW_TICKET = 'DELETE FROM ledger_ticket WHERE ledger = ? AND call = ?';
const WITHDRAW_TICKETS = 'DELETE FROM ledger_ticket WHERE ledger = ?';
const FIND = `SELECT ${ACCOUNT_COLUMNS} FROM ledger WHERE id = ?`;
const LIST_ROWS = `SELECT ${OPEN_COLUMNS} FROM ledger_row WHERE ledger = +? ORDER BY call`;
const LIST_EARLIER = `
  SELECT call, output, provider, model, ticket
  FROM ledger_row LEFT JOIN ledger_ticket USING (ledger, call)
  WHERE ledger = +? ORDER BY call, output`;
const CLOSE_ROWS = 'DELETE FROM ledger_row WHERE ledger = ?';
// The rows and tickets of the account's calls are deleted with the account.
const CLOSE = 'DELETE FROM ledger WHERE id = ?';
const RENEW = `
  UPDATE ledger SET outputs = @images, reserved = @reserved, renewals = @renewals WHERE id = @id`;
const HOLD = 'UPDATE ledger SET held = held + @missing WHERE id = @id';
const LIST_ABANDONED = `
  SELECT ${ACCOUNT_COLUMNS} FROM ledger
  WHERE owner IS NOT NULL AND ${isAbandonedSql('ledger')} LIMIT @limit`;

const FoundLedger = v.optional(AccountRow);
const QueuedRow = v.pick(AccountRow, ['token', 'day', 'reserved', 'held']);
const LedgerRows = v.array(AccountRow);

// The number of accounts that are recovered in one transaction.
const RECOVERED = 100;

export function createLedgerStore(database: StoreDatabase): LedgerStore {
  const sums = prepareCharges(database);
  const accounts = prepareAccounts(database, sums);
  const begin = database.prepare(BEGIN);
  const calls = prepareCalls(database);
  const renew = database.prepare(RENEW);
  const recoverSome = prepareRecovery(database, accounts);
  const { owner } = database;

  return {
    reserve: (entry) =>
      database.write(() => {
        const { id, token, day, images, allowance = null } = entry;
        // A repeated reservation must not be charged again.
        const money = heldColumns(entry);
        const row = { id, owner, token, day, images, reserved: images, allowance };
        if (begin.run({ ...row, ...money }).changes > 0) {
          sums.reserve(entry, images);
          sums.reserveMoney({ ...entry, ...entry.budget }, money.held);
        }
      }),
    begin: ({ id, token, day, images }, call) =>
      database.write(() => {
        const money = heldColumns({});
        begin.run({ id, owner, token, day, images, reserved: 0, allowance: null, ...money });
        calls.open(id, call);
      }),
    addCall: (id, call, needed) =>
      database.write(() => {
        const ledger = accounts.findOpen(id);
        calls.requireOwn(id);
        accounts.raise(ledger, needed);
        calls.open(id, call);
      }),
    accept: (id, call) =>
      database.write(() => {
        calls.requireOwn(id);
        calls.accept(id, call);
      }),
    withdrawTicket: (id, call) =>
      database.write(() => {
        calls.requireOwn(id);
        calls.withdrawTicket(id, call);
      }),
    renew: (id, settlement, images) =>
      database.write(() => {
        const ledger = accounts.find(id);
        if (!ledger || ledger.renewals > settlement.renewals) return;
        calls.requireOwn(id);
        const reserved = ledger.reserved === 0 ? 0 : images;
        const more = reserved - ledger.reserved + chargedBy(settlement.counts);
        sums.refuseBeyondAllowance({ ...ledger, allowance: ledger.allowance ?? undefined }, more);
        calls.close(id);
        renew.run({ id, images, reserved, renewals: settlement.renewals + 1 });
        accounts.countCalls(ledger, settlement);
        sums.charge(ledger, more);
        sums.reserveMoney(limitOf(ledger), spentBy(ledger, settlement.counts));
      }),
    close: (id, settlement) =>
      database.write(() => {
        const ledger = accounts.find(id);
        if (ledger) accounts.settle(ledger, settlement);
      }),
    record: (entry, { counts, calls }) =>
      database.write(() => {
        const ledger = accounts.find(entry.id);
        const unreserved = { ...entry, reserved: 0, held: 0n, outputs: entry.images };
        if (ledger) accounts.close(ledger, counts, calls);
        else accounts.count(unreserved, counts, calls);
      }),
    async recover() {
      while ((await recoverSome()) === RECOVERED);
    },
  };
}

/** Prepares the function that closes accounts of ended processes, and resolves with their number. */
function prepareRecovery(
  { prepare, owner, write }: StoreDatabase,
  accounts: ReturnType<typeof prepareAccounts>,
) {
  const listAbandoned = prepare(LIST_ABANDONED);
  return () =>
    write(() => {
      const abandoned = v.parse(LedgerRows, listAbandoned.all({ owner, limit: RECOVERED }));
      for (const ledger of abandoned) accounts.close(ledger, accounts.openCounts(ledger));
      return abandoned.length;
    });
}

/** Prepares the statements that change the calls of an account within the caller's transaction. */
function prepareCalls({ prepare, owner }: StoreDatabase) {
  const open = prepare(OPEN);
  const isOwn = prepare(IS_OWN);
  const accept = prepare(ACCEPT);
  const withdrawTicket = prepare(WITHDRAW_TICKET);
  const closeRows = prepare(CLOSE_ROWS);
  const withdrawTickets = prepare(WITHDRAW_TICKETS);

  return {
    open(id: string, { call, provider, model, indices }: OpenCall): void {
      const row = { id, call, provider, model: model ?? null };
      for (const output of indices) open.run({ ...row, output });
    },
    accept: (id: string, { call, model, ticket }: AcceptedCall): void =>
      void accept.run({ id, call, model, ticket }),
    withdrawTicket: (id: string, call: number): void => void withdrawTicket.run(id, call),
    /** Deletes the calls and their tickets. */
    close(id: string): void {
      closeRows.run(id);
      withdrawTickets.run(id);
    },
    /** Throws `internal` if there is no account, or if its job does not run in this process. */
    requireOwn(id: string): void {
      if (isOwn.get({ id, owner }) === undefined) throw notOwnAccount();
    },
  };
}

/** Prepares the statements that change the accounts of jobs within the caller's transaction. */
export function prepareJobAccounts(database: Pick<StoreDatabase, 'prepare'>) {
  const sums = prepareCharges(database);
  const accounts = prepareAccounts(database, sums);
  const begin = database.prepare(BEGIN_JOB);
  const findQueued = database.prepare(FIND_QUEUED);
  const listEarlier = database.prepare(LIST_EARLIER);

  return {
    /** Begins the account of a claimed job. Its outputs were charged when the job was queued. The account has no owner. */
    begin: (sequence: number): void => void begin.run(sequence),

    /** Returns the open calls of a job that continues, with its images. Returns undefined if no call has a ticket. */
    findEarlierWork(id: string, images: readonly EarlierImage[]): EarlierWork | undefined {
      const ledger = accounts.find(id);
      return ledger && toEarlierWork(ledger, v.parse(EarlierRows, listEarlier.all(id)), images);
    },

    /** Releases the outputs and the money that are reserved for a queued job. */
    giveBack(sequence: number): void {
      const { reserved, held, ...day } = v.parse(QueuedRow, findQueued.get(sequence));
      sums.charge(day, -reserved);
      sums.spend(day, -held);
    },

    /**
     * Ends the account of a job. Without a settlement, outputs that may have been sent count as unknown, or as images if their
     * images are kept. All other outputs count as failed.
     */
    close(id: string, { settlement, kept }: JobAccountEnd): void {
      const ledger = accounts.find(id);
      if (!ledger) return;
      if (settlement) accounts.settle(ledger, settlement);
      else accounts.close(ledger, accounts.openCounts(ledger, kept));
    },
  };
}

function prepareAccounts(
  database: Pick<StoreDatabase, 'prepare'>,
  sums: Omit<ReturnType<typeof prepareCharges>, 'refuseBeyondAllowance' | 'reserve'>,
) {
  const find = database.prepare(FIND);
  const listRows = database.prepare(LIST_ROWS);
  const close = database.prepare(CLOSE);
  const hold = database.prepare(HOLD);
  const addBilled = prepareBilledCalls(database);

  function findAccount(id: string): StoredAccount | undefined {
    return v.parse(FoundLedger, find.get(id));
  }

  /** Counts the outputs of a closed account and releases the unused reservation. */
  function count(
    ledger: Pick<StoredAccount, 'token' | 'day' | 'reserved' | 'held' | 'outputs'>,
    counts: readonly ProviderCounts[],
    calls?: readonly BilledCall[],
  ): void {
    sums.count(ledger, counts);
    sums.charge(ledger, chargedBy(counts) - ledger.reserved);
    sums.spend(ledger, spentBy(ledger, counts) - ledger.held);
    addBilled(ledger, calls);
  }

  function closeWith(
    ledger: StoredAccount,
    counts: readonly ProviderCounts[],
    calls?: readonly BilledCall[],
  ): void {
    close.run(ledger.id);
    count(ledger, counts, calls);
  }

  return {
    count,

    /** Counts calls without a change of the reservation. */
    countCalls(ledger: StoredAccount, { counts, calls }: Settlement): void {
      sums.count(ledger, counts);
      addBilled(ledger, calls);
    },

    /** Raises the reserved amount to `needed` if the account has a budget. Throws `rate_limited` if the budget is too small. */
    raise(ledger: StoredAccount, needed: Amount | undefined): void {
      const missing = missingAmount(ledger, needed);
      if (missing === 0n) return;
      sums.reserveMoney(limitOf(ledger), missing);
      hold.run({ id: ledger.id, missing });
    },

    find: findAccount,

    /** Returns the account. Throws `overloaded` if the account has ended. */
    findOpen(id: string): StoredAccount {
      const ledger = findAccount(id);
      if (!ledger) throw endedAccount();
      return ledger;
    },

    close: closeWith,

    /** Closes an account with the counts that are not stored yet. */
    settle: (ledger: StoredAccount, settlement: Settlement): void =>
      closeWith(ledger, newIn(ledger, settlement), settlement.calls),

    /** Returns the counts of an account without a reported end. Outputs that may have been sent count as unknown. */
    openCounts(ledger: StoredAccount, kept?: ReadonlySet<number>): readonly ProviderCounts[] {
      return countsOfOpen(ledger, v.parse(OpenRows, listRows.all(ledger.id)), kept);
    },
  };
}
