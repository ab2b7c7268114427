import type { Account as Payer } from '../contract/request/caller.ts';
import type { Account } from '../generation/ledger/ledger.ts';
import type {
  LedgerEntry,
  LedgerStore,
  Reservation,
} from '../generation/ledger/ledger-store-port.ts';
import type { Ids } from '../platform/ids.ts';
import type { Closings } from './closings.ts';

interface Deps {
  readonly ledger: LedgerStore;
  readonly closings: Pick<Closings, 'close'>;
  readonly ids: Pick<Ids, 'newUuid'>;
  /** Returns what so many images of a payer reserve now. */
  readonly reservationOf: (payer: Payer, images: number) => Reservation;
}

/** Opens the accounts of requests and of jobs. */
export function createAccounts({ ledger, closings, ids, reservationOf }: Deps) {
  /** Reserves the outputs of a request. A reservation that was reported as a failure may have taken effect. */
  async function reserved(entry: LedgerEntry): Promise<void> {
    try {
      await ledger.reserve(entry);
    } catch (refusal) {
      closings.close(() => ledger.close(entry.id, { renewals: 0, counts: [] }));
      throw refusal;
    }
  }

  return {
    /** Opens the account of one request. */
    accountFor(payer: Payer): Account {
      let entry: LedgerEntry | undefined;
      let isBegun = false;
      return {
        async reserve(images) {
          const opened = { id: ids.newUuid(), ...reservationOf(payer, images) };
          // Without an allowance there is nothing to reserve; the account begins with its first call.
          if (opened.allowance !== undefined) {
            await reserved(opened);
            isBegun = true;
          }
          entry = opened;
        },
        async open(call) {
          if (!entry) throw new Error('an account is reserved before its first call');
          if (isBegun) return ledger.addCall(entry.id, call);
          const begun = ledger.begin(entry, call);
          // The calls of one turn are in one transaction, in this order.
          isBegun = true;
          await begun.catch((refusal) => {
            isBegun = false;
            throw refusal;
          });
        },
        async renew(settlement, images) {
          if (entry) await ledger.renew(entry.id, settlement, images);
        },
        close(settlement) {
          const closed = entry;
          if (!closed) return;
          closings.close(() =>
            isBegun ? ledger.close(closed.id, settlement) : ledger.record(closed, settlement),
          );
        },
      };
    },

    /** Opens the account of a job again, which was made when the job was accepted. It is closed with the job. */
    accountOfJob: ({ id }: { readonly id: string }): Account => ({
      reserve: async () => {},
      open: (call) => ledger.addCall(id, call),
      renew: (settlement, images) => ledger.renew(id, settlement, images),
      close: () => {},
    }),
  };
}
