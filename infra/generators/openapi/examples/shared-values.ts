import type { ComponentName } from '../components.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** Named examples by component. */
export type Examples = { readonly [C in ComponentName]?: Readonly<Record<string, Example>> };

/** A valid PNG of one pixel. */
export const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP438AAAAQBAYD718vxAAAAAElFTkSuQmCC';

export const PNG_SHA256 = '3f4745edf6de4abf808999d8a5bcf14a53906b43b14004d70d74fa33fc529c24';

export const REQUEST_ID = '0198c2f0-5b7e-7c31-9d52-6a4f0e1b2c3d';
export const JOB_ID = '0198c2f1-04aa-7e0b-8c19-2f5d7a90b6e4';
export const ARTIFACT_ID = '9f86d081884c7d659a2feaa0c55ad015';
export const CREATED = 1_767_225_600;

export const PARAMETERS = {
  n: 1,
  size: 'auto',
  aspect_ratio: null,
  resolution: null,
  quality: 'auto',
  output_format: 'png',
  output_compression: null,
  background: 'auto',
  moderation: 'auto',
  partial_images: 0,
  failure_policy: 'fail_fast',
  action: 'auto',
  input_fidelity: null,
};

export const TIMINGS = {
  queue_ms: 0,
  input_ms: 0,
  provider_ms: 412,
  artifact_ms: 6,
  total_ms: 431,
};

/** The facts of the image that do not depend on its delivery. */
export const IMAGE = {
  index: 0,
  format: 'png',
  width: 1,
  height: 1,
  bytes: 69,
  sha256: PNG_SHA256,
};

export const DELIVERED = [
  { index: 0, size: 'unspecified', format: 'unspecified', alpha: 'unspecified' },
];

export const POLICIES = {
  compatibility: 'strict',
  negative_prompt: 'auto',
  revised_prompt: 'include',
  batch_execution: 'auto',
};

export const IMAGE_RESPONSE = {
  id: REQUEST_ID,
  created: CREATED,
  provider: 'sandbox',
  model: 'sandbox-image',
  requested: PARAMETERS,
  effective: PARAMETERS,
  normalizations: [],
  data: [{ type: 'b64_json', b64_json: PNG_BASE64, ...IMAGE, generation_ms: 412 }],
  timings: TIMINGS,
  delivered: DELIVERED,
  warnings: ['sandbox_output'],
};

/** The same reply with the image as an artifact instead of base64. */
export const ARTIFACT_RESPONSE = {
  ...IMAGE_RESPONSE,
  data: [{ type: 'artifact', id: ARTIFACT_ID, name: 'cats/ginger.png', ...IMAGE }],
};
