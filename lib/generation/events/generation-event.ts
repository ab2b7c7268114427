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

/** What may be told of it outside: images were decoded to their last pixel. */
export type VerifiedEvent =
  | ProgressEvent
  | {
      readonly type: 'partial_image';
      readonly index: number;
      readonly partialIndex: number;
      readonly image: VerifiedImage;
    };
