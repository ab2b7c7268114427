import type { Job } from '../../../dashboard/src/api/schemas.ts';

const REQUEST: Job['request'] = {
  version: '1',
  operation: 'generate',
  prompt: 'A lighthouse at dusk',
  negative_prompt: null,
  images: [],
  mask: null,
  reference_images: [],
  parameters: {
    n: 1,
    size: '1536x1024',
    aspect_ratio: null,
    resolution: null,
    quality: 'auto',
    output_compression: null,
    background: 'auto',
    moderation: 'auto',
    partial_images: 0,
    failure_policy: 'fail_fast',
    action: 'auto',
    input_fidelity: null,
  },
  output: {
    response_format: 'artifact',
    collision: 'error',
    metadata: 'none',
    transparency: {
      mode: 'auto',
      key_color: null,
      transparent_threshold: 12,
      opaque_threshold: 96,
      despill: true,
    },
  },
  routing: { provider: null, model: null, fallbacks: [], fallback_policy: 'on_unavailable' },
  session: { mode: 'isolated' },
  policies: {
    compatibility: 'strict',
    negative_prompt: 'auto',
    revised_prompt: 'include',
    batch_execution: 'auto',
  },
  timeout_ms: null,
  user: null,
  metadata: {},
};

export const JOB_ID = '0199f0a0-0000-7000-8000-000000000001';

/** Returns a complete queued job with the given fields, and with the given fields of its request. */
export function detail(fields: Partial<Job> = {}, request: Partial<Job['request']> = {}): Job {
  return {
    id: JOB_ID,
    status: 'queued',
    created: 1_780_000_000,
    updated: 1_780_000_000,
    cancel_requested: false,
    favorite: false,
    ...fields,
    request: { ...REQUEST, ...request },
  };
}

export function storedInput(fields: Partial<Job['request']['images'][number]> = {}) {
  return {
    type: 'stored' as const,
    sha256: '0'.repeat(64),
    media_type: 'image/png' as const,
    bytes: 1000,
    ...fields,
  };
}

type Result = NonNullable<Job['result']>;

/** Returns a result with `count` images of the requested size, and with the given fields. */
export function result(count: number, fields: Partial<Result> = {}): Result {
  const { parameters } = REQUEST;
  const asked = { ...parameters, n: count, output_format: 'png' as const };
  const indexes = Array.from({ length: count }, (_, index) => index);
  return {
    id: 'request',
    created: 1_780_000_001,
    provider: 'sandbox',
    model: 'sandbox-image',
    requested: asked,
    effective: asked,
    normalizations: [],
    data: indexes.map((index) => ({
      type: 'artifact',
      id: `artifact-${index + 1}`,
      name: `posters/lighthouse-${index + 1}.png`,
      index,
      format: 'png',
      width: 1536,
      height: 1024,
      bytes: 2_500_000,
      sha256: '0'.repeat(64),
    })),
    timings: { queue_ms: 0, input_ms: 0, provider_ms: 0, artifact_ms: 0, total_ms: 0 },
    delivered: indexes.map((index) => ({
      index,
      size: 'honoured',
      format: 'unspecified',
      alpha: 'unspecified',
    })),
    warnings: [],
    ...fields,
  };
}
