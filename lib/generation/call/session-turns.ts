import type { SessionReport } from '../../contract/reply/image-response.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { AskPlan } from '../plan/ask-plan.ts';
import { stopError } from './stop-error.ts';

/** The session of an operation, which is not isolated, and where its request goes. */
interface TurnRequest extends Pick<AskPlan, 'provider' | 'session'> {
  readonly scope: string;
  readonly model: string;
  readonly requestId: string;
}

/** A session in use by one operation. */
export interface SessionTurn {
  readonly threadId: string;
  readonly report: SessionReport;
  /** Lets the next operation of the session begin. */
  end(failure?: BridgeError): Promise<void>;
}

/** What the pipeline needs of sessions; what keeps them knows nothing of generation. */
export interface SessionTurns {
  /** Throws `session_not_found` for a thread that was not made in the scope. */
  check(turn: TurnRequest): Promise<void>;
  /**
   * Waits until no other operation uses the session. Throws `session_not_found`, the signal's reason, and what the provider
   * throws where it has to make a thread.
   */
  begin(turn: TurnRequest, signal: AbortSignal): Promise<SessionTurn>;
}

/** Whom a turn is for. */
interface Caller {
  readonly scope: string;
  readonly requestId: string;
}

/** Undefined for an isolated session, which needs no turn. */
export function toTurnRequest(
  { provider, session, request: { model } }: AskPlan,
  { scope, requestId }: Caller,
): TurnRequest | undefined {
  return session.mode === 'isolated' ? undefined : { session, provider, model, scope, requestId };
}

/** The turn that an operation needs, once it has begun. Rejects like a call that was ended before it was dispatched. */
export async function beginTurn(
  sessions: Pick<SessionTurns, 'begin'>,
  turn: TurnRequest | undefined,
  signal: AbortSignal,
): Promise<SessionTurn | undefined> {
  try {
    return turn && (await sessions.begin(turn, signal));
  } catch (thrown) {
    if (!signal.aborted) throw toBridgeError(thrown);
    throw stopError(signal, { sent: false, outcomeKnown: true, stopped: true });
  }
}
