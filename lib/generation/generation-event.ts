import type { ProviderEvent } from '../providers/provider-port.ts';

export type GenerationStage =
  | 'queued'
  | 'preparing'
  | 'dispatched'
  | 'generating'
  | 'verifying'
  | 'publishing';

/** What can be told of a generation while it runs; indices are those of the whole request. */
export type GenerationEvent =
  | { readonly type: 'progress'; readonly stage: GenerationStage; readonly index?: number }
  | Extract<ProviderEvent, { type: 'partial_image' }>;
