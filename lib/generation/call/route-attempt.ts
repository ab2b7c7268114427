import type { Admission } from '../../admission/admission.ts';
import type { Deadline } from '../../admission/deadline.ts';
import type { SessionReport } from '../../contract/reply/image-response.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import { anySignal } from '../../platform/linked-signal.ts';
import { toTurnRequest } from '../plan/plan.ts';
import type { SessionTurn, SessionTurns, TurnRequest } from '../session-turns-port.ts';
import type { Times } from '../times.ts';
import { stopError } from './call-provider.ts';
import type { FanOut, FanOutResult, PlannedWork } from './fan-out.ts';

interface Deps {
  readonly admission: Pick<Admission, 'enterRoute'>;
  readonly fanOut: FanOut;
  readonly sessions: Pick<SessionTurns, 'begin'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<Metrics, 'queued'>;
}

/** The parts that all route attempts of one operation share. */
interface Operation {
  readonly times: Times;
  /** Called when an attempt has entered the gate of its provider or the queue of that gate. */
  readonly onAdmitted: () => void;
  readonly waitsWhenFull: boolean;
  /** The authorization scope of the caller. */
  readonly scope: string;
}

/** The result of one route. */
export interface RouteResult extends FanOutResult {
  /** Absent for an isolated session. */
  readonly session?: SessionReport;
}

/**
 * Runs a plan behind the gate and the circuit breaker of its provider. An attempt takes one permit and reports one outcome,
 * however many calls the plan makes.
 */
export function createRouteAttempt({ admission, fanOut, sessions, clock, metrics }: Deps) {
  async function timedFanOut(work: PlannedWork, times: Times): Promise<FanOutResult> {
    const startedMs = clock.monotonicMs();
    try {
      const result = await fanOut(work);
      // The last images are verified after the provider has ended. That time is not the provider's.
      times.add('provider', result.providerEndedMs - startedMs);
      times.add('artifact', clock.monotonicMs() - result.providerEndedMs);
      return result;
    } catch (thrown) {
      times.add('provider', clock.monotonicMs() - startedMs);
      throw thrown;
    }
  }

  return async function routeAttempt(
    work: PlannedWork,
    { times, onAdmitted, waitsWhenFull, scope }: Operation,
  ): Promise<RouteResult> {
    const { ask, report } = work.plan;
    const sending = anySignal(work.deadline.signal, work.noMoreCalls);
    const pass = await times.of(
      'queue',
      admission.enterRoute(ask.provider.name, sending, () => onAdmitted(), waitsWhenFull),
    );
    metrics.queued({ durationMs: pass.waitedMs });
    let turn: SessionTurn | undefined;
    try {
      const turnRequest = toTurnRequest(ask, { scope, requestId: report.record.request_id });
      turn = await times.of('queue', beginTurn(sessions, turnRequest, sending));
      const session = turn ? { threadId: turn.threadId, session: turn.report } : {};
      const result = await timedFanOut({ ...work, ...session }, times);
      pass.settle();
      await turn?.end();
      return turn ? { ...result, session: turn.report } : result;
    } catch (thrown) {
      const error = toBridgeError(thrown);
      pass.settle(forBreaker(error, work.deadline));
      await turn?.end(error);
      throw error;
    }
  };
}

/**
 * Returns the failure to report to the circuit breaker. A deadline that the request has shortened does not count against the
 * provider, because otherwise a caller with short deadlines could open the breaker for all other callers.
 */
function forBreaker(error: BridgeError, { isShortened }: Deadline): BridgeError {
  if (error.code !== 'timeout' || !isShortened) return error;
  return error.with({ details: { reason: 'shortened_deadline' } });
}

/** Begins the turn that an operation needs. Rejects like a call that was ended before it was sent if the signal aborts. */
async function beginTurn(
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
