import { expect } from 'vitest';
import type { BehaviourName } from '../../support/responses-upstream/behaviours/behaviours.ts';

/** The reply of the bridge if every call of the backend has the same behaviour. */
export interface ExpectedReply {
  /** Number of calls of the backend. */
  readonly calls: number;
  readonly status: number;
  /** `error.type`, `error.code` and the code of the extension. Absent for a success. */
  readonly error?: readonly [type: string, code: string, bridgeCode: string];
  readonly retryable?: boolean;
  /** All of `details` except `provider_attempts`. */
  readonly details?: object;
  /** Number of attempts if the provider failed. */
  readonly attempts?: number;
  readonly warnings?: readonly string[];
  /** Deadline of a request that would not end otherwise. */
  readonly timeoutMs?: number;
}

const SUCCESS: ExpectedReply = { calls: 1, status: 200, warnings: [] };

function failure(status: number, error: ExpectedReply['error'], more: Partial<ExpectedReply>) {
  const usual = { calls: 1, status, retryable: false, details: {}, attempts: 1 };
  return { ...usual, ...(error ? { error } : {}), ...more };
}

const upstream = (more: Partial<ExpectedReply>) =>
  failure(502, ['api_error', 'upstream_error', 'upstream'], more);
const protocol = (details: object, more: Partial<ExpectedReply> = {}) =>
  failure(502, ['api_error', 'protocol_error', 'protocol'], { details, ...more });
const rateLimited = (more: Partial<ExpectedReply>) =>
  failure(429, ['rate_limit_error', 'rate_limit_exceeded', 'rate_limited'], {
    retryable: true,
    ...more,
  });

const REPEATED = { calls: 2, attempts: 2, retryable: true } as const;
const TRANSIENT = upstream(REPEATED);
const AUTHENTICATION = failure(503, ['api_error', 'provider_authentication', 'authentication'], {});
const PERMISSION = failure(
  403,
  ['permission_denied_error', 'permission_denied', 'permission_denied'],
  {},
);
const UNSUPPORTED = failure(
  400,
  ['invalid_request_error', 'unsupported_capability', 'unsupported_capability'],
  {},
);
const RATE = rateLimited(REPEATED);
const LATER = { retry_after_ms: 3_600_000 };
const QUOTA = rateLimited({ retryable: false, details: { reason: 'quota' } });
const USED_UP = rateLimited({ retryable: false, details: { reason: 'quota', ...LATER } });

function safety(more: object = {}): ExpectedReply {
  return failure(400, ['image_generation_user_error', 'moderation_blocked', 'safety_rejected'], {
    details: {
      safety_category: 'content_policy',
      recovery: 'revise_prompt_or_inputs',
      retry_same_request: false,
      requested_moderation: 'auto',
      input_images_present: false,
      ...more,
    },
  });
}

const refused = (details: object = {}) =>
  failure(400, ['invalid_request_error', 'invalid_request', 'invalid_request'], {
    details: { reason: 'refused_by_provider', ...details },
  });
const noImage = (details: object) =>
  upstream({ ...REPEATED, details: { reason: 'no_image', ...details } });
const unknownCode = (upstream_code: string) => upstream({ details: { upstream_code } });
/** The connection is lost, so the outcome of the call is unknown. */
const LOST = protocol({ outcome: 'unknown' });
const unreadable = (reason: string) => protocol({ outcome: 'unknown', reason });
const TRUNCATED = unreadable('stream_ended_early');
/** The fault is found when the image is verified. The call itself succeeded. */
const invalidImage = (reason: string): ExpectedReply => {
  const { attempts: _, ...others } = protocol({ reason });
  return others;
};
const UNUSABLE = protocol({ reason: 'unusable_image' });
const DIFFERENT = protocol({ reason: 'different_images' });

/** Only the deadline ends the call. */
const TIMEOUT = failure(504, ['request_timeout_error', 'timeout', 'timeout'], {
  timeoutMs: 300,
  details: { outcome: 'unknown', provider_stopped: true },
});

/** The codes inside a stream, in each of their three forms. */
const CODES = {
  authentication_error: AUTHENTICATION,
  invalid_api_key: AUTHENTICATION,
  token_expired: AUTHENTICATION,
  permission_denied: PERMISSION,
  moderation_blocked: safety({ moderation_stage: 'output', moderation_categories: ['violence'] }),
  content_policy_violation: safety(),
  safety_violation: safety(),
  cyber_policy: safety(),
  rate_limit_exceeded: RATE,
  insufficient_quota: QUOTA,
  usage_limit_reached: USED_UP,
  unsupported_parameter: UNSUPPORTED,
  unsupported_value: UNSUPPORTED,
  server_error: TRANSIENT,
  server_is_overloaded: TRANSIENT,
  overloaded: TRANSIENT,
  service_unavailable: TRANSIENT,
  a_code_from_tomorrow: unknownCode('a_code_from_tomorrow'),
} as const;

type Code = keyof typeof CODES;

function inStream<const Way extends string>(way: Way): Record<`${Way}=${Code}`, ExpectedReply> {
  const rows = Object.entries(CODES).map(([code, reply]) => [`${way}=${code}`, reply]);
  // The names are built in the same way as in the type.
  return Object.fromEntries(rows) as Record<`${Way}=${Code}`, ExpectedReply>;
}

/** The required reply for every behaviour of the emulator. A behaviour without a row does not compile. */
export const EXPECTED_REPLIES: Readonly<Record<BehaviourName, ExpectedReply>> = {
  succeed: SUCCESS,
  'item=generating': SUCCESS,
  'item=completed': SUCCESS,
  'result-in-completed': SUCCESS,
  'completed-empty': SUCCESS,
  'done-twice': SUCCESS,
  'partials=three': SUCCESS,
  'partials=late': SUCCESS,
  'many-events': SUCCESS,
  'wire=crlf': SUCCESS,
  'wire=cr': SUCCESS,
  'wire=no-event-lines': SUCCESS,
  'wire=no-space': SUCCESS,
  'wire=many-data-lines': SUCCESS,
  'wire=bom': SUCCESS,
  'wire=done': SUCCESS,
  'wire=no-content-type': SUCCESS,
  'wire=one-byte': SUCCESS,
  'wire=random': SUCCESS,
  'wire=gzip': TRUNCATED,
  'wire=bare': SUCCESS,
  drip: SUCCESS,

  'status=400': refused({ upstream_code: 'invalid_value' }),
  'status=401': { ...AUTHENTICATION, calls: 2 },
  'status=403': PERMISSION,
  'status=404': unknownCode('not_found'),
  'status=408': unknownCode('request_timeout'),
  'status=409': unknownCode('conflict'),
  'status=413': refused({ upstream_code: 'request_too_large' }),
  'status=422': refused({ upstream_code: 'unprocessable' }),
  'status=429': RATE,
  'status=500': TRANSIENT,
  'status=502': TRANSIENT,
  'status=503': TRANSIENT,
  'status=504': TRANSIENT,
  'status=529': TRANSIENT,
  'status=400,content_policy_violation': safety(),
  'status=400,safety_violation': safety(),
  'status=400,cyber_policy': safety(),
  'status=400,unsupported_parameter': UNSUPPORTED,
  'status=400,unsupported_value': UNSUPPORTED,
  'status=400,server_error': TRANSIENT,
  'status=400,moderation_blocked': safety({
    moderation_stage: 'input',
    moderation_categories: ['sexual', 'violence'],
  }),
  'status=400,type': safety(),
  'status=400,odd-code': refused(),
  'status=400,not-json': refused(),
  'status=403,html': PERMISSION,
  'status=502,html': TRANSIENT,
  'status=500,empty': TRANSIENT,
  'status=500,huge': TRANSIENT,
  'status=503,overloaded': upstream({ ...REPEATED, details: { retry_after_ms: 1000 } }),
  'status=429,retry-after=1': rateLimited({ ...REPEATED, details: { retry_after_ms: 1000 } }),
  // Too long a wait, so the bridge replies at once.
  'status=429,retry-after=3600': rateLimited({ details: LATER }),
  'status=429,retry-after=soon': RATE,
  'status=429,retry-after=-5': RATE,
  'status=429,retry-after=date': rateLimited({
    ...REPEATED,
    details: { retry_after_ms: expect.any(Number) },
  }),
  'status=429,usage_limit_reached': USED_UP,
  'status=429,insufficient_quota': QUOTA,
  'status=301': upstream({}),
  'status=302': upstream({}),
  'status=303': upstream({}),
  'status=307': upstream({}),
  'status=308': upstream({}),
  'html=200': TRUNCATED,
  'empty=200': TRUNCATED,
  'empty=204': TRUNCATED,
  'json=200': TRUNCATED,

  ...inStream('failed'),
  'failed=odd-code': upstream({}),
  'failed=no-error': upstream({}),
  // The output had begun, so the image may be charged.
  'failed-after-partial': upstream({ details: { outcome: 'unknown' } }),
  'failed-after-item': upstream({ details: { outcome: 'unknown' } }),
  'incomplete=content_filter': safety(),
  'incomplete=max_output_tokens': unknownCode('max_output_tokens'),
  'incomplete=code': safety(),
  ...inStream('error'),
  ...inStream('error-nested'),
  'error-then-success': TRANSIENT,
  refusal: safety(),
  'no-image': noImage({
    output_item_types: ['message', 'reasoning'],
    message_content_types: ['output_text'],
  }),
  'no-image=empty': noImage({ output_item_types: ['reasoning'] }),
  'failed-call': noImage({
    output_item_types: ['image_generation_call', 'reasoning'],
    image_call_statuses: ['failed'],
  }),
  'two-images=different': DIFFERENT,
  'two-images=equal': SUCCESS,
  'two-images=contradiction': DIFFERENT,

  'image=gif': invalidImage('unsupported_format'),
  'image=svg': invalidImage('unsupported_format'),
  'image=html': invalidImage('unsupported_format'),
  'image=pixel-bomb': invalidImage('edge_too_long'),
  // Only as many bytes as the pixels need are inflated, so this is a small, valid image.
  'image=data-bomb': { ...SUCCESS, warnings: ['output_size_differs'] },
  'image=text-bomb': invalidImage('chunk_too_large'),
  'image=truncated': invalidImage('truncated'),
  'image=trailing': invalidImage('trailing_bytes'),
  'image=corrupt': invalidImage('corrupt'),
  'image=other-format': invalidImage('format_mismatch'),
  'image=other-size': { ...SUCCESS, warnings: ['output_size_differs'] },
  'image=with-alpha': SUCCESS,
  'image=without-alpha': SUCCESS,
  'image=too-large': unreadable('event_too_long'),
  'image=empty': noImage({
    output_item_types: ['image_generation_call', 'reasoning'],
    image_call_statuses: ['generating'],
  }),
  'base64=alphabet': UNUSABLE,
  'base64=url': UNUSABLE,
  'base64=space': UNUSABLE,
  'base64=length': UNUSABLE,
  'base64=padding': UNUSABLE,
  'base64=data-url': UNUSABLE,
  'base64=words': UNUSABLE,
  'partial=gif': SUCCESS,
  'partial=base64': SUCCESS,

  'truncated=nothing': TRUNCATED,
  'truncated=opening': TRUNCATED,
  'truncated=generating': TRUNCATED,
  'truncated=partial': TRUNCATED,
  'truncated=item': TRUNCATED,
  'cut=partial': LOST,
  'cut=line': LOST,
  'cut=item': LOST,
  'cut=completed': LOST,
  'close=before-headers': LOST,
  'reset=before-headers': LOST,
  'reset=after-headers': LOST,
  'reset=line': LOST,
  'garbage=bytes': TRUNCATED,
  'garbage=http': LOST,
  'garbage=json': unreadable('not_json'),
  'garbage=null': unreadable('unexpected_event'),
  'garbage=text': unreadable('not_json'),
  'garbage=no-type': unreadable('unexpected_event'),
  'garbage=shape': unreadable('unexpected_event'),
  'garbage=result': unreadable('unexpected_event'),
  'garbage=utf8': unreadable('not_json'),
  'garbage=unknown-field': SUCCESS,

  'silence=before-headers': TIMEOUT,
  'silence=after-headers': TIMEOUT,
  'silence=generating': TIMEOUT,
  'silence=partial': TIMEOUT,
  'silence=item': TIMEOUT,
  // The response was complete, so the bridge does not wait for the end of the stream.
  'silence=end': SUCCESS,
  'silence=line': TIMEOUT,

  'endless=line': unreadable('event_too_long'),
  'endless=data-lines': unreadable('event_too_long'),
  'endless=events': unreadable('stream_too_long'),
  'endless=comments': unreadable('stream_too_long'),
  'endless=blank-lines': unreadable('stream_too_long'),
  heartbeats: TIMEOUT,
};
