import type { Deadline } from '../../admission/deadline.ts';
import type { Provider, ProviderRequest } from '../../providers/provider-port.ts';
import type { GenerationEvent } from '../events/generation-event.ts';
import type { LedgerCall } from '../ledger/ledger-call.ts';

export interface ProviderCall {
  readonly provider: Provider;
  readonly request: ProviderRequest;
  readonly requestId: string;
  readonly deadline: Pick<Deadline, 'remainingMs'>;
  /** Aborts at the deadline, when the client disconnects, and when the failure of a sibling ends all calls. */
  readonly signal: AbortSignal;
  /** Aborts with `signal` or earlier: from then on nothing is sent. */
  readonly sending: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
  /** The rows of its outputs. */
  readonly ledger: LedgerCall;
}
