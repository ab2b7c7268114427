import type { ReportedMethod } from '../contract/resources/diagnostics.ts';

/** One answer, told by fixed words alone: nothing in it was chosen by a caller. */
export interface ObservedReply {
  /** The path of a route as the table writes it, or `unmatched`. */
  readonly route: string;
  readonly method: ReportedMethod;
  readonly status: number;
  /** From the arrival of the head until the answer was ready to be sent. */
  readonly durationMs: number;
}

/** Whoever wants to know of every answer. It must neither throw nor take long. */
export interface HttpObserver {
  replied(answer: ObservedReply): void;
}
