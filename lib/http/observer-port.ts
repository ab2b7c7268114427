import type { ReportedMethod } from '../contract/resources/diagnostics.ts';
import type { RefusalReason } from '../errors/refusals.ts';

/** A report of one reply. It contains nothing that a caller chose. */
export interface ObservedReply {
  /** The path of a route as the table writes it, or `unmatched`. */
  readonly route: string;
  readonly method: ReportedMethod;
  readonly status: number;
  /** Absent unless the reply refuses the request because something is full, paused or broken. */
  readonly refusal?: RefusalReason;
  /** The identity of the caller's token: empty for a caller without a named token, undefined for an unknown caller. */
  readonly callerId: string | undefined;
  /** From the arrival of the head until the reply was ready to be sent. */
  readonly durationMs: number;
}

/** Is notified of every reply. It must neither throw nor take long. */
export interface HttpObserver {
  replied(reply: ObservedReply): void;
}
