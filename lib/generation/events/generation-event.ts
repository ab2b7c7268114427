import type { MaskedSource, VerifiedImage } from '../../images/image.ts';
import type { ProviderEvent } from '../../providers/provider-port.ts';

export type GenerationStage =
  | 'queued'
  | 'preparing'
  | 'dispatched'
  | 'generating'
  | 'verifying'
  | 'publishing';

interface ProgressEvent {
  readonly type: 'progress';
  readonly stage: GenerationStage;
  readonly index?: number;
}

type PartialImageEvent = Extract<ProviderEvent, { type: 'partial_image' }> & {
  /** What is put back into it; absent without an emulated mask. */
  readonly masked?: MaskedSource;
};

/** What happens in a generation while it runs; indices are those of the whole request. */
export type GenerationEvent = ProgressEvent | PartialImageEvent;

/** An event for clients: its image has been decoded completely. */
export type VerifiedEvent =
  | ProgressEvent
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partialIndex: number;
      readonly image: VerifiedImage;
    };
