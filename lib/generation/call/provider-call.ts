import type { Deadline } from '../../admission/deadline.ts';
import type { Provider, ProviderRequest } from '../../providers/provider-port.ts';
import type { GenerationEvent } from '../events/generation-event.ts';

export interface ProviderCall {
  readonly provider: Provider;
  readonly request: ProviderRequest;
  readonly requestId: string;
  readonly deadline: Pick<Deadline, 'remainingMs'>;
  /** Aborts at the deadline, when the client disconnects, and when the failure of a sibling ends all calls. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: GenerationEvent) => void;
}

/** What is known of a provider call while it runs. */
export interface CallProgress {
  /** By any of its tries. */
  dispatched: boolean;
  /** By the current try. */
  dispatchedNow: boolean;
  outputBegan: boolean;
}
