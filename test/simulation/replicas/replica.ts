import type { Clock } from '../../../lib/platform/clock.ts';

/** The connection of one replica to the state. */
export interface Replica {
  /** A new id for each process. */
  readonly owner: string;
  /** The clock of the replica's machine. */
  readonly clock: Clock;
  readonly leaseMs: number;
  /** The pause between two looks for changes that no notice has reported. */
  readonly lookEveryMs: number;
  /** Returns the delay of a notice of another replica, or undefined if the notice is lost. */
  noticeDelayMs(): number | undefined;
  /** Throws `overloaded` if the replica does not reach the state. */
  refuseCut(): void;
  /** Returns true if the answer to a claim or a submission that took effect is lost. */
  losesAnswer(): boolean;
}
