import type { ReportedMethod } from '../contract/resources/diagnostics.ts';
import type { RefusalReason } from '../errors/refusals.ts';

/** The report about one reply, without any value chosen by a caller. */
export interface ObservedReply {
  /** The path of a route as written in the route table, or `unmatched`. */
  readonly route: string;
  readonly method: ReportedMethod;
  readonly status: number;
  /** The reason if the request was rejected because a resource is full, paused or broken. */
  readonly refusal?: RefusalReason;
  /** The id of the caller's token: empty for a caller without a named token, undefined for an unknown caller. */
  readonly callerId: string | undefined;
  /** The time from the arrival of the request head until the reply was ready to be sent, in milliseconds. */
  readonly durationMs: number;
}

/** Observes every reply. The functions must not throw and must return quickly. */
export interface HttpObserver {
  replied(reply: ObservedReply): void;
  /** Called when a connection was closed because its client did not read the reply. */
  readonly stalled?: () => void;
}
