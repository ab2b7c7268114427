import type { SessionReport } from '../contract/reply/image-response.ts';
import type { Session } from '../contract/request/routing.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { Provider } from '../providers/provider-port.ts';

/** The session that one operation asks for, and the provider and model that the operation uses. */
export interface TurnRequest {
  /** A session in any mode except `isolated`. */
  readonly session: Session;
  readonly scope: string;
  readonly provider: Provider;
  readonly model: string;
  readonly requestId: string;
}

/** A session in use by one operation. */
export interface SessionTurn {
  readonly threadId: string;
  readonly report: SessionReport;
  /**
   * Ends the turn, so that the next operation of the session can begin. Removes the session if `failure` shows that the provider
   * no longer has the thread.
   */
  end(failure?: BridgeError): Promise<void>;
}

/** Gives each operation the thread of its session, one operation at a time. */
export interface SessionTurns {
  /** Throws `session_not_found` if the thread was not created in this scope. Does not wait for other operations. */
  check(turn: TurnRequest): Promise<void>;
  /**
   * Waits until no other operation uses the session. Binds a key without a thread to a new thread. Throws `session_not_found`,
   * the signal's reason, and the error of the provider if it cannot create a thread.
   */
  begin(turn: TurnRequest, signal: AbortSignal): Promise<SessionTurn>;
}
