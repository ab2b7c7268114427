import type { ImageResponse } from '../../lib/contract/reply/image-response.ts';
import type { JobRequest } from '../../lib/contract/resources/job.ts';
import type { StoredError } from '../../lib/errors/error-body.ts';
import type { JobAdmission, JobEnd, NewJob } from '../../lib/jobs/job-store-port.ts';

export const CREATED_SECS = 1_700_000_000;

/** Limits that no test reaches. */
export const WIDE: JobAdmission = {
  maxPending: 1e6,
  maxDatabaseBytes: 1e12,
  isShared: true,
  reservation: {
    token: '',
    day: Math.floor(CREATED_SECS / 86_400),
    images: 1,
    allowance: undefined,
    retryAfterMs: 1,
  },
};

const PARAMETERS = {
  n: 1,
  size: 'auto',
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
} as const;

export function jobRequest(overrides: Partial<JobRequest> = {}): JobRequest {
  return {
    version: '1',
    operation: 'generate',
    prompt: 'a lighthouse at dusk',
    negative_prompt: null,
    images: [],
    mask: null,
    reference_images: [],
    parameters: PARAMETERS,
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
    ...overrides,
  };
}

/** An edit of stored images with these checksums and this many bytes each. */
export function editOf(sha256s: readonly string[], bytes = 70): JobRequest {
  const images = sha256s.map((sha256) => {
    return { type: 'stored', sha256, media_type: 'image/png', bytes } as const;
  });
  return jobRequest({ operation: 'edit', images });
}

let made = 0;

/** A job with a new id. */
export function newJob(overrides: Partial<NewJob> = {}): NewJob {
  made += 1;
  return {
    id: `01890000-0000-7000-8000-${made.toString(16).padStart(12, '0')}`,
    scope: 'anonymous',
    priority: 0,
    labels: [],
    createdSecs: CREATED_SECS,
    requestId: `request-${made}`,
    request: jobRequest(),
    parents: [],
    provider: 'sandbox',
    model: 'sandbox-image',
    size: '1024x1024',
    reservedBytes: 20_000,
    ...overrides,
  };
}

export const FAILURE: StoredError = {
  code: 'upstream',
  message: 'the backend closed the stream before it completed',
  retryable: false,
  details: { outcome: 'unknown' },
};

export const CANCELLATION: StoredError = {
  code: 'cancelled',
  message: 'the job was cancelled',
  retryable: false,
  details: {},
};

/** Returns a response with one artifact for each of these ids. */
export function jobResult(artifactIds: readonly string[]): ImageResponse {
  const parameters = { ...PARAMETERS, output_format: 'png' } as const;
  return {
    id: 'request',
    created: CREATED_SECS,
    provider: 'sandbox',
    model: 'sandbox-sketch',
    requested: parameters,
    effective: parameters,
    normalizations: [],
    data: artifactIds.map((id, index) => ({
      type: 'artifact',
      id,
      name: `${id}.png`,
      index,
      format: 'png',
      width: 640,
      height: 480,
      bytes: 1234,
      sha256: 'ab'.repeat(32),
    })),
    timings: { queue_ms: 0, input_ms: 0, provider_ms: 5, artifact_ms: 1, total_ms: 6 },
    delivered: [],
    warnings: [],
  };
}

/** A successful end without an image, for tests that need any ended job. */
export function succeeded(completedSecs = CREATED_SECS + 60): JobEnd {
  return { status: 'succeeded', completedSecs, result: jobResult([]), publications: [] };
}
