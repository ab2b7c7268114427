import type { VerifiedImage } from '../../images/image.ts';
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

/** What happens in a generation while it runs; indices are those of the whole request. */
export type GenerationEvent = ProgressEvent | Extract<ProviderEvent, { type: 'partial_image' }>;

/** An event for clients: its image has been decoded completely. */
export type VerifiedEvent =
  | ProgressEvent
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partialIndex: number;
      readonly image: VerifiedImage;
    };
