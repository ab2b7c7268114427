import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { batchingMode } from '../batching-mode.ts';

type Member =
  | 'experimental'
  | 'revised_prompt'
  | 'transparent_background'
  | 'user_attribution'
  | 'qualities'
  | 'output_formats'
  | 'backgrounds'
  | 'moderation'
  | 'actions'
  | 'input_fidelities'
  | 'partial_images'
  | 'persistent_sessions'
  | 'explicit_threads';

/** What a capability document says of a model that takes a prompt and chooses all else itself. */
export const PLAIN_MODEL: Pick<CapabilityDocument, Member> = {
  experimental: false,
  revised_prompt: 'unsupported',
  transparent_background: 'emulated',
  user_attribution: 'unsupported',
  qualities: ['auto'],
  output_formats: ['png'],
  backgrounds: ['auto', 'opaque'],
  moderation: ['auto'],
  actions: ['auto'],
  input_fidelities: [],
  partial_images: { min: 0, max: 0 },
  persistent_sessions: false,
  explicit_threads: false,
};

/** The `max_outputs` and `max_parallel_outputs` of a provider's settings. */
interface OutputLimits {
  readonly max_outputs: number;
  readonly max_parallel_outputs: number | 'auto';
}

/** Of a provider that makes one output a call; as many calls as a request has outputs run at once unless the settings say otherwise. */
export function oneOutputPerCall({
  max_outputs: max,
  max_parallel_outputs: parallel,
}: OutputLimits): Pick<CapabilityDocument, 'count' | 'batching'> {
  return {
    count: { min: 1, max },
    batching: {
      mode: batchingMode(max, 1),
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: parallel === 'auto' ? max : parallel,
    },
  };
}
