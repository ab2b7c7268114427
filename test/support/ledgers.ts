import { type Account, createLedger } from '../../lib/generation/ledger/ledger.ts';
import type {
  AcceptedCall,
  OpenCall,
  Settlement,
} from '../../lib/generation/ledger/ledger-store-port.ts';

/** An account that never rejects a charge, and its calls. */
export function recordAccount() {
  const reserved: number[] = [];
  const opened: OpenCall[] = [];
  const accepted: AcceptedCall[] = [];
  const withdrawn: number[] = [];
  const renewed: Settlement[] = [];
  const closed: Settlement[] = [];
  const account: Account = {
    async reserve(outputs) {
      reserved.push(outputs);
    },
    async open(call) {
      opened.push(call);
    },
    async accept(call) {
      accepted.push(call);
      return true;
    },
    async withdrawTicket(call) {
      withdrawn.push(call);
    },
    async renew(settlement) {
      renewed.push(settlement);
    },
    close(settlement) {
      closed.push(settlement);
    },
  };
  return { account, reserved, opened, accepted, withdrawn, renewed, closed };
}

/** Returns the ledger of a request of this many outputs, with an account that never rejects a charge. */
export function newLedger(outputs = 1) {
  return createLedger(recordAccount().account, outputs);
}
