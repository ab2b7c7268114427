import type { SessionReport } from '../contract/reply/image-response.ts';
import type { Session } from '../contract/request/routing.ts';
import type { BridgeError } from '../errors/bridge-error.ts';
import type { Provider } from '../providers/provider-port.ts';

/** The session that one operation asks for, and the provider and model that the operation uses. */
export interface TurnRequest {
  /** Any mode but `isolated`. */
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
  /** Lets the next operation of the session begin. A session whose provider no longer has the thread is forgotten. */
  end(failure?: BridgeError): Promise<void>;
}

/** Gives each operation the thread of its session, one operation at a time. */
export interface SessionTurns {
  /** Throws `session_not_found` for a thread that was not made in the scope. Does not wait for other operations. */
  check(turn: TurnRequest): Promise<void>;
  /**
   * Waits until no other operation uses the session. Binds a key without a thread to a new thread. Throws `session_not_found`,
   * the signal's reason, and the error of the provider if it cannot create a thread.
   */
  begin(turn: TurnRequest, signal: AbortSignal): Promise<SessionTurn>;
}
