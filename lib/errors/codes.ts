import type { ErrorRow } from './error-row.ts';
import { FORM_ERRORS } from './form-errors.ts';

const provider = { type: 'api_error', status: 502, retryable: false } as const;
const ours = { type: 'api_error', status: 500, retryable: false } as const;
const notFound = {
  bridge: 'not_found',
  type: 'invalid_request_error',
  status: 404,
  retryable: false,
} as const;

const conflict = {
  bridge: 'conflict',
  type: 'invalid_request_error',
  status: 409,
  retryable: false,
} as const;

/** Every failure that the bridge knows, one row each: contract.md 8. */
export const ERRORS = {
  ...FORM_ERRORS,
  input: {
    bridge: 'input',
    code: 'invalid_image_input',
    type: 'invalid_request_error',
    status: 400,
    retryable: false,
    suggestions: [
      'Send a complete, single-frame PNG, JPEG or WebP within the limits.',
      'Make the declared media type agree with the bytes, or leave it out.',
    ],
  },
  unsupported_capability: {
    bridge: 'unsupported_capability',
    code: 'unsupported_capability',
    type: 'invalid_request_error',
    status: 400,
    retryable: false,
    suggestions: [
      'Read /v1/providers/{name}/capabilities and ask for what the model can do.',
      'Set policies.compatibility to normalize or best_effort to accept the nearest thing.',
    ],
  },
  authentication_required: {
    bridge: 'authentication',
    code: 'authentication_required',
    type: 'authentication_error',
    status: 401,
    retryable: false,
    suggestions: ['Send Authorization: Bearer with the token that this bridge was started with.'],
  },
  provider_authentication: {
    bridge: 'authentication',
    code: 'provider_authentication',
    type: 'api_error',
    status: 503,
    retryable: false,
    suggestions: [
      'Renew the login of this provider, or replace its API key.',
      'Route the request to another provider.',
    ],
  },
  permission_denied: {
    bridge: 'permission_denied',
    code: 'permission_denied',
    type: 'permission_denied_error',
    status: 403,
    retryable: false,
    suggestions: [
      'Use a token that has the permission that details names.',
      'Call the bridge from its own address, or from a client that is no browser.',
      'Ask for access if a provider refused it.',
    ],
  },
  safety_rejected: {
    bridge: 'safety_rejected',
    code: 'moderation_blocked',
    type: 'image_generation_user_error',
    status: 400,
    retryable: false,
    suggestions: ['Revise the prompt or the images; the same request will be refused again.'],
  },
  not_found: {
    ...notFound,
    code: 'not_found',
    suggestions: [
      'Check the address and the id.',
      'Use the token that created the resource: other tokens never see it.',
    ],
  },
  session_not_found: {
    ...notFound,
    code: 'session_not_found',
    suggestions: ['Start a session by sending an image request with this session key.'],
  },
  preset_exists: {
    ...conflict,
    code: 'preset_exists',
    suggestions: ['Choose another name, or replace the preset with PUT.'],
  },
  job_not_terminal: {
    ...conflict,
    code: 'job_not_terminal',
    suggestions: ['Wait until the job has ended, or cancel it first.'],
  },
  job_succeeded: {
    ...conflict,
    code: 'job_succeeded',
    suggestions: ['Send the request again as a new job if more images are wanted.'],
  },
  artifact_exists: {
    ...conflict,
    code: 'artifact_exists',
    suggestions: ['Choose another filename, or set output.collision to suffix.'],
  },
  session_busy: {
    ...conflict,
    code: 'session_busy',
    suggestions: ['Wait until the turn that is running in this session has ended.'],
  },
  idempotency_conflict: {
    bridge: 'idempotency_conflict',
    code: 'idempotency_conflict',
    type: 'invalid_request_error',
    status: 409,
    retryable: false,
    suggestions: ['Use a new Idempotency-Key for a different request.'],
  },
  rate_limited: {
    bridge: 'rate_limited',
    code: 'rate_limit_exceeded',
    type: 'rate_limit_error',
    status: 429,
    retryable: true,
    suggestions: [
      'Wait for Retry-After, then send the same request again.',
      'Where a quota is used up, raise it, or route the request to another provider.',
    ],
  },
  overloaded: {
    bridge: 'overloaded',
    code: 'overloaded',
    type: 'server_overloaded_error',
    status: 503,
    retryable: true,
    suggestions: [
      'Wait for Retry-After, then send the same request again.',
      'Raise the limit that is named in details if this persists.',
    ],
  },
  timeout: {
    bridge: 'timeout',
    code: 'timeout',
    type: 'request_timeout_error',
    status: 504,
    retryable: false,
    suggestions: [
      'Raise timeout_ms, or ask for fewer or smaller images.',
      'Check what the provider did before sending the request again if details.outcome is unknown.',
    ],
  },
  cancelled: {
    bridge: 'cancelled',
    code: 'cancelled',
    type: 'request_timeout_error',
    status: 499,
    retryable: false,
    suggestions: ['Send the request again if the image is still wanted.'],
  },
  upstream: {
    ...provider,
    bridge: 'upstream',
    code: 'upstream_error',
    suggestions: [
      'Send the same request again if retryable is true.',
      'Route the request to another provider.',
    ],
  },
  protocol: {
    ...provider,
    bridge: 'protocol',
    code: 'protocol_error',
    suggestions: [
      'Check what the provider did before sending the request again.',
      'Route the request to another provider if this persists.',
    ],
  },
  artifact: {
    ...ours,
    bridge: 'artifact',
    code: 'artifact_error',
    suggestions: [
      'Check the artifact folder: its space, its rights, and who else changes files in it.',
    ],
  },
  configuration: {
    ...ours,
    bridge: 'configuration',
    code: 'configuration',
    suggestions: ['Run image-bridge config check on the machine of the bridge.'],
  },
  internal: {
    ...ours,
    bridge: 'internal',
    code: 'internal_error',
    suggestions: ['Report the request_id to the operator of this bridge.'],
  },
} as const satisfies Record<string, ErrorRow>;

/** What a thrower names. */
export type ErrorCode = keyof typeof ERRORS;

/** `bridge_ext.code`, and every `error_code` of jobs, attempts, failures and metrics. */
export type BridgeCode = (typeof ERRORS)[ErrorCode]['bridge'];

/** Every `bridge_ext.code`, each once, in the order of the table. */
export const BRIDGE_CODES: readonly BridgeCode[] = [
  ...new Set(Object.values(ERRORS).map((row) => row.bridge)),
];
