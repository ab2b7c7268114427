import type { Config } from '../../config/settings/settings.ts';
import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { oneOutputPerCall, PLAIN_MODEL } from '../backend/plain-model.ts';
import { INPUT_LIMITS } from '../backend/sent-images.ts';

export const MODEL = 'gpt-image-2';

/** Returns the capabilities of the agent's image tool, which accepts a prompt and images and has no other options. */
export function capabilitiesOf(
  provider: string,
  settings: Pick<Config['providers']['agent_app_server'], 'max_outputs' | 'max_parallel_outputs'>,
): CapabilityDocument {
  return {
    ...PLAIN_MODEL,
    ...oneOutputPerCall(settings),
    provider,
    model: MODEL,
    edits: true,
    sizes: { auto: true, allowed: [], arbitrary: false },
    aspect_ratio: 'unsupported',
    resolution: 'unsupported',
    revised_prompt: 'native',
    reference_images: INPUT_LIMITS,
    edit_images: INPUT_LIMITS,
    persistent_sessions: true,
    explicit_threads: true,
    // An input image is an item of the current turn.
    source_transport: 'conversation_attachment',
  };
}
