import type { Deadline } from '../../admission/deadline.ts';
import type { SessionReport, Usage, Warning } from '../../contract/reply/image-response.ts';
import type { MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { GenerationEvent } from '../events/generation-event.ts';
import type { Finish, FinishedOutput } from '../finish/finish.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Plan } from '../plan/plan.ts';

/** What is known of the call of an output when it is finished. */
export interface OutputReport {
  readonly usage: Usage | undefined;
  readonly warnings: readonly Warning[];
  /** Absent for an isolated session. */
  readonly session?: SessionReport;
}

/** A plan and what it runs with. */
export interface PlannedWork {
  readonly plan: Plan;
  readonly inputs: InputSet<VerifiedImage>;
  /** What is put back into the images that are made; undefined without an emulated mask. */
  readonly masked?: MaskedSource | undefined;
  readonly deadline: Deadline;
  /** As in `GenerationContext`. */
  readonly noMoreCalls: AbortSignal | undefined;
  /** The thread of its session; undefined for an isolated one. */
  readonly threadId?: string;
  readonly onEvent: (event: GenerationEvent) => void;
  readonly ledger: Ledger;
  /** Verifies the outputs and makes them what was asked for, in the turns of the caller's scope. */
  readonly finish: Finish;
  /** What is known of the session; absent for an isolated one. */
  readonly session?: SessionReport;
  /** Publishes each output as soon as it is finished. A rejection is the failure of the output. Undefined if that comes later. */
  readonly publish?: ((output: FinishedOutput, report: OutputReport) => Promise<void>) | undefined;
}
