import type { Admission } from '../../admission/admission.ts';
import type { Deadline } from '../../admission/deadline.ts';
import type { SessionReport } from '../../contract/reply/image-response.ts';
import { type BridgeError, toBridgeError } from '../../errors/bridge-error.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Clock } from '../../platform/clock.ts';
import { anySignal } from '../../platform/linked-signal.ts';
import type { Times } from '../times.ts';
import type { FanOut, FanOutResult } from './fan-out.ts';
import type { PlannedWork } from './planned-work.ts';
import { beginTurn, type SessionTurn, type SessionTurns, toTurnRequest } from './session-turns.ts';

interface Deps {
  readonly admission: Pick<Admission, 'enterRoute'>;
  readonly fanOut: FanOut;
  readonly sessions: Pick<SessionTurns, 'begin'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly metrics: Pick<Metrics, 'queued'>;
}

/** What all route attempts of one operation have in common. */
interface Operation {
  readonly times: Times;
  /** Called when it has entered the gate of the provider, or its queue. */
  readonly onAdmitted: () => void;
  readonly waitsWhenFull: boolean;
  /** The authorization scope of the caller. */
  readonly scope: string;
}

/** What came of one route. */
export interface RouteResult extends FanOutResult {
  /** Absent for an isolated session. */
  readonly session?: SessionReport;
}

/** Runs a plan between the gate and the breaker of its provider: one permit and one outcome, whatever its fan-out. */
export function createRouteAttempt({ admission, fanOut, sessions, clock, metrics }: Deps) {
  async function timedFanOut(work: PlannedWork, times: Times): Promise<FanOutResult> {
    const startedMs = clock.monotonicMs();
    try {
      const result = await fanOut(work);
      // The verification of the last images, after the provider had ended, is the bridge's own time.
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
 * Returns the failure as the breaker of the provider counts it. A deadline that the request itself has shortened does not show
 * that the provider is slow: a caller with short deadlines would close it for all others.
 */
function forBreaker(error: BridgeError, { isShortened }: Deadline): BridgeError {
  if (error.code !== 'timeout' || !isShortened) return error;
  return error.with({ details: { reason: 'shortened_deadline' } });
}
