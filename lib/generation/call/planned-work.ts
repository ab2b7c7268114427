import type { Deadline } from '../../admission/deadline.ts';
import type { MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { InputSet } from '../../inputs/input-source.ts';
import type { GenerationEvent } from '../events/generation-event.ts';
import type { Plan } from '../plan/plan.ts';

/** A plan and what it runs with. */
export interface PlannedWork {
  readonly plan: Plan;
  readonly inputs: InputSet<VerifiedImage>;
  /** What is put back into the images that are made; undefined without an emulated mask. */
  readonly masked?: MaskedSource | undefined;
  readonly deadline: Deadline;
  /** The thread of its session; undefined for an isolated one. */
  readonly threadId?: string;
  readonly onEvent: (event: GenerationEvent) => void;
}
