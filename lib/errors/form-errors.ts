import type { ErrorRow } from './error-row.ts';

const invalidRequest = {
  bridge: 'invalid_request',
  code: 'invalid_request',
  type: 'invalid_request_error',
  retryable: false,
} as const;

/** Requests that HTTP, the contract or a provider rejects. All of them have the `bridge_ext.code` `invalid_request`. */
export const FORM_ERRORS = {
  invalid_request: {
    ...invalidRequest,
    status: 422,
    suggestions: [
      'Correct the fields listed in details.issues, then send the request again.',
      'Compare the request with the schema in /v1/openapi.json.',
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
      'Change the field named in param, or simplify the request: the provider rejects the request in its current form.',
      'Route the request to another provider, or add a fallback and set routing.fallback_policy to on_error.',
    ],
  },
  method_not_allowed: {
    ...invalidRequest,
    status: 405,
    suggestions: ['Use a method listed in the Allow header.'],
  },
  request_timeout: {
    ...invalidRequest,
    status: 408,
    suggestions: [
      'Send the whole request without long pauses.',
      'Raise server.head_timeout_ms or server.body_idle_ms if the connection is slow.',
    ],
  },
  body_too_large: {
    ...invalidRequest,
    status: 413,
    suggestions: ['Send smaller or fewer images.', 'Raise server.max_body_bytes.'],
  },
  unsupported_media_type: {
    ...invalidRequest,
    status: 415,
    suggestions: [
      'Send a media type listed in /v1/openapi.json, in UTF-8 and without a content encoding.',
    ],
  },
  range_not_satisfiable: {
    ...invalidRequest,
    status: 416,
    suggestions: ['Request a range within the length given in the Content-Range header.'],
  },
  expectation_failed: {
    ...invalidRequest,
    status: 417,
    suggestions: ['Omit the Expect header, or send Expect: 100-continue.'],
  },
  header_too_large: {
    ...invalidRequest,
    status: 431,
    suggestions: [
      'Send fewer or shorter headers and a shorter URL.',
      'Raise server.max_header_bytes.',
    ],
  },
} as const satisfies Record<string, ErrorRow>;
