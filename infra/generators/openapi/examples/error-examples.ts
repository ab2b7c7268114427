import type { BridgeErrorOptions } from '../../../../lib/errors/bridge-error.ts';
import type { ErrorCode } from '../../../../lib/errors/codes.ts';

interface ErrorExample extends Pick<BridgeErrorOptions, 'param' | 'provider' | 'details'> {
  readonly message: string;
}

const provider = 'agent-responses';

/** One example of each failure for the OpenAPI document. */
export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, ErrorExample>> = {
  invalid_request: {
    message: 'the request is invalid',
    param: 'parameters.n',
    details: {
      issues: [{ field: 'parameters.n', code: 'out_of_range', message: 'must be at least 1' }],
    },
  },
  malformed_request: { message: 'the body is not valid JSON' },
  refused_by_provider: {
    message: 'the backend rejected the request',
    param: 'parameters.size',
    provider,
    details: { reason: 'refused_by_provider', field: 'parameters.size' },
  },
  method_not_allowed: { message: 'method not allowed for this path' },
  request_timeout: { message: 'the request did not arrive in time' },
  body_too_large: { message: 'the body is longer than server.max_body_bytes' },
  unsupported_media_type: { message: 'the body must be JSON' },
  range_not_satisfiable: { message: 'the range is outside the file' },
  expectation_failed: { message: 'the expectation cannot be met' },
  header_too_large: { message: 'the request head is longer than server.max_header_bytes' },
  input: {
    message: 'the image is truncated',
    param: 'images[0]',
    details: { fault: 'truncated' },
  },
  unsupported_capability: {
    message: 'the model does not support this value',
    param: 'parameters.size',
    provider,
  },
  authentication_required: { message: 'a valid bearer token is required' },
  provider_authentication: { message: 'the provider rejected the login', provider },
  permission_denied: { message: 'requests from pages of other sites are rejected' },
  safety_rejected: {
    message: 'the provider rejected the request for safety reasons',
    provider,
    details: {
      safety_category: 'content_policy',
      recovery: 'revise_prompt_or_inputs',
      retry_same_request: false,
      requested_moderation: 'auto',
      input_images_present: false,
      moderation_stage: 'input',
    },
  },
  not_found: { message: 'there is no such resource' },
  session_not_found: { message: 'there is no such session' },
  preset_exists: { message: 'a preset with this name exists', param: 'name' },
  count_differs: {
    message: 'the filter selects more jobs than expected',
    param: 'expected_count',
    details: { count: 61 },
  },
  job_not_queued: { message: 'the job is not queued', param: 'priority' },
  job_not_terminal: { message: 'the job has not ended', param: 'deleted' },
  job_succeeded: { message: 'a job that has succeeded cannot be retried' },
  artifact_exists: { message: 'a file with this name exists', param: 'output.filename' },
  session_busy: { message: 'a turn is running in this session' },
  idempotency_conflict: { message: 'the Idempotency-Key was used for a different request' },
  rate_limited: {
    message: 'the provider is rate limited',
    provider,
    details: { retry_after_ms: 20_000 },
  },
  overloaded: { message: 'the queue is full', details: { retry_after_ms: 1000 } },
  timeout: { message: 'the deadline has passed', details: { outcome: 'unknown' } },
  cancelled: { message: 'the request was cancelled' },
  upstream: { message: 'the provider failed', provider },
  protocol: {
    message: 'the reply of the provider ended early',
    provider,
    details: { outcome: 'unknown' },
  },
  artifact: { message: 'the stored file differs from the verified image' },
  configuration: { message: 'the provider is not configured', provider },
  internal: { message: 'unexpected failure in the bridge' },
};
