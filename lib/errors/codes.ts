interface ErrorRow {
  /** `bridge_ext.code`: the stable name of this kind of failure. */
  readonly bridge: string;
  /** `error.code`, which OpenAI clients evaluate. */
  readonly code: string;
  readonly type: string;
  readonly status: number;
  /** True if the same request may be sent again. A thrower that knows the cause may override the value. */
  readonly retryable: boolean;
  /** Actions that may solve the problem, best first. */
  readonly suggestions: readonly string[];
}

const invalidRequest = {
  bridge: 'invalid_request',
  code: 'invalid_request',
  type: 'invalid_request_error',
  retryable: false,
} as const;

/** Errors of requests that HTTP, the contract or a provider rejects. All rows have the `bridge_ext.code` `invalid_request`. */
const FORM_ERRORS = {
  invalid_request: {
    ...invalidRequest,
    status: 422,
    suggestions: [
      'Correct the fields listed in `details.issues`, then send the request again.',
      'Compare the request with the schema in `/v1/openapi.json`.',
    ],
  },
  malformed_request: {
    ...invalidRequest,
    status: 400,
    suggestions: [
      'Send a well-formed HTTP/1.1 request whose body is JSON in valid UTF-8, or a complete form.',
    ],
  },
  /** A provider that accepts requests of this kind rejected this request. */
  refused_by_provider: {
    ...invalidRequest,
    status: 400,
    suggestions: [
      'Change the field named in `param`, or simplify the request, because the provider rejects the request in its current form.',
      'Route the request to another provider, or add a fallback and set `routing.fallback_policy` to `on_error`.',
    ],
  },
  method_not_allowed: {
    ...invalidRequest,
    status: 405,
    suggestions: ['Use a method listed in the `Allow` header.'],
  },
  request_timeout: {
    ...invalidRequest,
    status: 408,
    suggestions: [
      'Send the whole request without long pauses.',
      'Raise `server.head_timeout_ms` or `server.body_idle_ms` if the connection is slow.',
    ],
  },
  body_too_large: {
    ...invalidRequest,
    status: 413,
    suggestions: ['Send smaller or fewer images.', 'Raise `server.max_body_bytes`.'],
  },
  unsupported_media_type: {
    ...invalidRequest,
    status: 415,
    suggestions: [
      'Send a media type listed in `/v1/openapi.json`, in UTF-8 and without a content encoding.',
    ],
  },
  range_not_satisfiable: {
    ...invalidRequest,
    status: 416,
    suggestions: ['Request a range within the length given in the `Content-Range` header.'],
  },
  expectation_failed: {
    ...invalidRequest,
    status: 417,
    suggestions: ['Omit the `Expect` header, or send `Expect: 100-continue`.'],
  },
  header_too_large: {
    ...invalidRequest,
    status: 431,
    suggestions: [
      'Send fewer or shorter headers and a shorter URL.',
      'Raise `server.max_header_bytes`.',
    ],
  },
} as const satisfies Record<string, ErrorRow>;

const badRequest = { type: 'invalid_request_error', status: 400, retryable: false } as const;
const provider = { type: 'api_error', status: 502, retryable: false } as const;
const ours = { type: 'api_error', status: 500, retryable: false } as const;
const notFound = { ...badRequest, bridge: 'not_found', status: 404 } as const;
const conflict = { ...badRequest, bridge: 'conflict', status: 409 } as const;

/** Every error that the bridge reports, one row each (`docs/contract.md`, section 8). */
export const ERRORS = {
  ...FORM_ERRORS,
  input: {
    bridge: 'input',
    code: 'invalid_image_input',
    ...badRequest,
    suggestions: [
      'Send a complete, single-frame PNG, JPEG or WebP image within the limits.',
      'Declare the media type that matches the bytes, or omit the media type.',
    ],
  },
  unsupported_capability: {
    bridge: 'unsupported_capability',
    code: 'unsupported_capability',
    ...badRequest,
    suggestions: [
      'Read `/v1/providers/{name}/capabilities`, and request only features that the model supports.',
      'Set `policies.compatibility` to `normalize` or `best_effort` to accept the nearest supported value.',
    ],
  },
  authentication_required: {
    bridge: 'authentication',
    code: 'authentication_required',
    type: 'authentication_error',
    status: 401,
    retryable: false,
    suggestions: ['Send the header `Authorization: Bearer TOKEN` with a token of this bridge.'],
  },
  provider_authentication: {
    ...provider,
    bridge: 'authentication',
    code: 'provider_authentication',
    status: 503,
    suggestions: [
      'Renew the login of the provider, or replace its API key.',
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
      'Use a token with the permission named in `details`.',
      'Call the bridge from a page of its own origin, or from a client that is not a browser.',
      'Request access from the provider if the provider denied the permission.',
    ],
  },
  safety_rejected: {
    bridge: 'safety_rejected',
    code: 'moderation_blocked',
    type: 'image_generation_user_error',
    status: 400,
    retryable: false,
    suggestions: ['Revise the prompt or the images; the same request will be rejected again.'],
  },
  not_found: {
    ...notFound,
    code: 'not_found',
    suggestions: [
      'Check the URL and the id.',
      'Use the token that created the resource: a resource is not visible to other tokens.',
    ],
  },
  session_not_found: {
    ...notFound,
    code: 'session_not_found',
    suggestions: ['Send an image request with this session key to start the session.'],
  },
  preset_exists: {
    ...conflict,
    code: 'preset_exists',
    suggestions: ['Choose another name, or replace the preset with PUT.'],
  },
  job_not_terminal: {
    ...conflict,
    code: 'job_not_terminal',
    suggestions: ['Wait until the job has ended, or cancel the job first.'],
  },
  count_differs: {
    ...conflict,
    code: 'count_differs',
    suggestions: [
      'Read the number of matching jobs again, and send the request with this number as `expected_count`.',
    ],
  },
  job_not_queued: {
    ...conflict,
    code: 'job_not_queued',
    suggestions: ['Change the priority of a job that is still queued.'],
  },
  job_succeeded: {
    ...conflict,
    code: 'job_succeeded',
    suggestions: ['Send the request as a new job to generate more images.'],
  },
  artifact_exists: {
    ...conflict,
    code: 'artifact_exists',
    suggestions: ['Choose another filename, or set `output.collision` to `suffix`.'],
  },
  session_busy: {
    ...conflict,
    code: 'session_busy',
    suggestions: ['Wait until the running turn of this session has ended.'],
  },
  idempotency_conflict: {
    ...conflict,
    bridge: 'idempotency_conflict',
    code: 'idempotency_conflict',
    suggestions: ['Use a new `Idempotency-Key` for a different request.'],
  },
  rate_limited: {
    bridge: 'rate_limited',
    code: 'rate_limit_exceeded',
    type: 'rate_limit_error',
    status: 429,
    retryable: true,
    suggestions: [
      'Wait for the time in `Retry-After`, then send the same request again.',
      'If a quota is exhausted, raise the quota, or route the request to another provider.',
    ],
  },
  overloaded: {
    bridge: 'overloaded',
    code: 'overloaded',
    type: 'server_overloaded_error',
    status: 503,
    retryable: true,
    suggestions: [
      'Wait for the time in `Retry-After`, then send the same request again.',
      'If this error persists, raise the limit named in `details`.',
    ],
  },
  timeout: {
    bridge: 'timeout',
    code: 'timeout',
    type: 'request_timeout_error',
    status: 504,
    retryable: false,
    suggestions: [
      'Raise `timeout_ms`, or request fewer or smaller images.',
      'If `details.outcome` is `unknown`, check at the provider whether images were made before you send the request again.',
    ],
  },
  cancelled: {
    bridge: 'cancelled',
    code: 'cancelled',
    type: 'request_timeout_error',
    status: 499,
    retryable: false,
    suggestions: ['Send the request again if you still need the images.'],
  },
  upstream: {
    ...provider,
    bridge: 'upstream',
    code: 'upstream_error',
    suggestions: [
      'If `retryable` is true, send the same request again.',
      'Route the request to another provider.',
    ],
  },
  protocol: {
    ...provider,
    bridge: 'protocol',
    code: 'protocol_error',
    suggestions: [
      'Check at the provider whether images were made before you send the request again.',
      'Route the request to another provider if this error persists.',
    ],
  },
  artifact: {
    ...ours,
    bridge: 'artifact',
    code: 'artifact_error',
    suggestions: [
      'Check the free space and the permissions of the artifact folder, and whether another program changes its files.',
    ],
  },
  configuration: {
    ...ours,
    bridge: 'configuration',
    code: 'configuration',
    suggestions: ['Run `image-bridge config check` on the machine that runs the bridge.'],
  },
  internal: {
    ...ours,
    bridge: 'internal',
    code: 'internal_error',
    suggestions: ['Report the `request_id` to the operator of this bridge.'],
  },
} as const satisfies Record<string, ErrorRow>;

/** The code that a thrower names. */
export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** `bridge_ext.code`, and every `error_code` of jobs, attempts, failures and metrics. */
export type BridgeCode = (typeof ERRORS)[ErrorCode]['bridge'];

/** Every `bridge_ext.code` once, in the order of the table. */
export const BRIDGE_CODES: readonly BridgeCode[] = [
  ...new Set(Object.values(ERRORS).map((row) => row.bridge)),
];

/** The codes of failures of image generation, the same for every route. */
export const GENERATION_ERRORS = [
  'refused_by_provider',
  'input',
  'unsupported_capability',
  'provider_authentication',
  'permission_denied',
  'safety_rejected',
  'session_not_found',
  'session_busy',
  'artifact_exists',
  'idempotency_conflict',
  'rate_limited',
  'overloaded',
  'timeout',
  'cancelled',
  'upstream',
  'protocol',
  'artifact',
  'configuration',
] as const satisfies readonly ErrorCode[];
