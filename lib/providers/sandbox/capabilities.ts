import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import { PLAIN_MODEL } from '../backend/plain-model.ts';
import { INPUT_LIMITS, NO_IMAGES } from '../backend/sent-images.ts';

/** A model: its capabilities and its behaviour for every request. */
export interface SandboxModel {
  readonly id: string;
  readonly profile: 'full' | 'basic';
  /** `fail_first` makes the first attempt of a call fail. The name of a failure makes every attempt fail. */
  readonly behaviour: 'draw' | 'fail_first' | 'draw_slowly' | 'hang' | RehearsedFailure;
}

const REHEARSED_FAILURES = [
  'authentication',
  'permission_denied',
  'safety_rejected',
  'unsupported_capability',
  'rate_limited',
  'overloaded',
  'timeout',
  'upstream',
  'protocol',
] as const;
type RehearsedFailure = (typeof REHEARSED_FAILURES)[number];

export const DEFAULT_MODEL = 'sandbox-image';

/** All models, one row each, in the order in which clients list them. */
export const MODELS: readonly SandboxModel[] = [
  { id: DEFAULT_MODEL, profile: 'full', behaviour: 'draw' },
  { id: 'sandbox-basic', profile: 'basic', behaviour: 'draw' },
  ...REHEARSED_FAILURES.map(
    (behaviour): SandboxModel => ({ id: `sandbox-fail-${behaviour}`, profile: 'full', behaviour }),
  ),
  { id: 'sandbox-flaky', profile: 'full', behaviour: 'fail_first' },
  { id: 'sandbox-slow', profile: 'full', behaviour: 'draw_slowly' },
  { id: 'sandbox-hang', profile: 'full', behaviour: 'hang' },
];

export function findModel(id: string): SandboxModel | undefined {
  return MODELS.find((model) => model.id === id);
}

/** Version of the rendered images. Must be increased by a change after which the same request produces another image. */
export const SANDBOX_VERSION = '2.0.0';

export const MIN_EDGE = 16;
export const MAX_EDGE = 4096;
export const MAX_OUTPUTS = 255;

function images(maxCount: number) {
  return { ...INPUT_LIMITS, max_count: maxCount };
}

type Profile = Omit<CapabilityDocument, 'provider' | 'model'>;

const shared = {
  implementation_version: SANDBOX_VERSION,
  experimental: false,
  generation: true,
  edits: true,
  count: { min: 1, max: MAX_OUTPUTS },
  user_attribution: 'unsupported',
  persistent_sessions: false,
  explicit_threads: false,
  source_transport: 'local',
} as const;

const PROFILES: Readonly<Record<SandboxModel['profile'], Profile>> = {
  full: {
    ...shared,
    batching: {
      mode: 'fan_out',
      native_count: { min: 1, max: 4 },
      max_parallel_outputs: MAX_OUTPUTS,
    },
    sizes: { auto: true, allowed: [], arbitrary: true, min_edge: MIN_EDGE, max_edge: MAX_EDGE },
    aspect_ratio: 'native',
    resolution: 'native',
    negative_prompt: 'native',
    revised_prompt: 'native',
    transparent_background: 'native',
    qualities: ['auto', 'low', 'medium', 'high'],
    output_formats: ['png', 'jpeg', 'webp'],
    backgrounds: ['auto', 'opaque', 'transparent'],
    moderation: ['auto', 'low'],
    actions: ['auto', 'generate', 'edit'],
    input_fidelities: ['low', 'high'],
    reference_images: images(16),
    edit_images: images(16),
    masks: images(1),
    partial_images: { min: 0, max: 3 },
  },
  // Capabilities of a plain model, used to exercise negotiation, fan-out and matting.
  basic: {
    ...PLAIN_MODEL,
    ...shared,
    batching: {
      mode: 'fan_out',
      native_count: { min: 1, max: 1 },
      max_parallel_outputs: MAX_OUTPUTS,
    },
    sizes: { auto: true, allowed: ['1024x1024', '1536x1024', '1024x1536'], arbitrary: false },
    reference_images: NO_IMAGES,
    edit_images: images(1),
  },
};

/**
 * Returns the capabilities of a model, or undefined if the sandbox does not list the model. `provider` is the
 * registered name.
 */
export function capabilitiesOf(provider: string, model: string): CapabilityDocument | undefined {
  const found = findModel(model);
  return found && { provider, model, ...PROFILES[found.profile] };
}
