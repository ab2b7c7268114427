import type { LedgerStore } from '../../generation/ledger/ledger-store-port.ts';
import type { StoreDatabase } from './database.ts';
import { prepareLedger } from './ledger-writes.ts';
import { isAbandonedSql } from './owner-lease.ts';

const LIST_ABANDONED = `
  SELECT id, token, day, outputs, reserved, allowance, renewals FROM ledger
  WHERE owner IS NOT NULL AND ${isAbandonedSql('ledger')}`;

export function createLedgerStore(database: StoreDatabase): LedgerStore {
  const ledger = prepareLedger(database);
  const listAbandoned = database.prepare(LIST_ABANDONED);
  const { owner } = database;

  return {
    reserve: (entry) => database.write(() => ledger.reserve(entry, owner)),
    begin: (entry, call) =>
      database.write(() => {
        ledger.begin(entry, owner);
        ledger.open(entry.id, call);
      }),
    addCall: (id, call) => database.write(() => ledger.open(id, call)),
    renew: (id, settlement, images) => database.write(() => ledger.renew(id, settlement, images)),
    close: (id, settlement) => database.write(() => ledger.close(id, settlement)),
    record: (entry, settlement) => database.write(() => ledger.record(entry, settlement)),
    recover: (nowSecs) =>
      database.write(() => ledger.closeAbandoned(listAbandoned.all({ owner, nowSecs }))),
  };
}
