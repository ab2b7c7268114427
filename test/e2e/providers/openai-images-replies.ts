import { expect } from 'vitest';
import type { BehaviourName } from '../../support/images-upstream/behaviours/behaviours.ts';

/** The reply of the bridge if every call of the server has the same behaviour. */
export interface ExpectedReply {
  /** Number of calls of the server. A call that may have been charged is made once. */
  readonly calls: number;
  readonly status: number;
  /** Code of the extension. Absent for a success. */
  readonly code?: string;
  readonly param?: string;
  readonly retryable?: boolean;
  /** All members of `details`. */
  readonly details?: object;
  readonly warnings?: readonly string[];
  /** Deadline of a request that would not end otherwise. */
  readonly timeoutMs?: number;
}

/** The same failure after output had begun, so the image may be charged. */
const afterOutput = (reply: ExpectedReply): ExpectedReply => ({
  ...reply,
  retryable: false,
  details: { ...reply.details, outcome: 'unknown' },
});

const SUCCESS: ExpectedReply = { calls: 1, status: 200, warnings: [] };
/** The fault is found when the image is verified, because its size is not the requested size. */
const OTHER_SIZE: ExpectedReply = { ...SUCCESS, warnings: ['output_size_differs'] };

function failure(status: number, code: string, details: object = {}): ExpectedReply {
  const all = { ...details, provider_attempts: 1 };
  return { calls: 1, status, code, retryable: false, details: all };
}

/** The same failure after a second call that failed too. */
function repeated(reply: ExpectedReply): ExpectedReply {
  return {
    ...reply,
    calls: 2,
    retryable: true,
    details: { ...reply.details, provider_attempts: 2 },
  };
}

const upstream = (details: object = {}) => failure(502, 'upstream', details);
const protocol = (reason: string) => failure(502, 'protocol', { reason });
const TRANSIENT = repeated(upstream());
/** The work may continue or be finished, so it is perhaps charged. */
const UNKNOWN = upstream({ outcome: 'unknown' });
const LOST = failure(502, 'protocol', { outcome: 'unknown' });
const unreadable = (reason: string) => failure(502, 'protocol', { outcome: 'unknown', reason });
const unknownCode = (upstream_code: string) => upstream({ upstream_code });
const refused = (details: object = {}) =>
  failure(400, 'invalid_request', { reason: 'refused_by_provider', ...details });
const NO_IMAGE = upstream({ reason: 'no_image' });
const AUTHENTICATION = failure(503, 'authentication');
const PERMISSION = failure(403, 'permission_denied');
const unsupported = (field: string): ExpectedReply => ({
  ...failure(400, 'unsupported_capability', { field }),
  param: field,
});
const NO_MODEL = unsupported('routing.model');
const limited = (details: object = {}): ExpectedReply => ({
  ...failure(429, 'rate_limited', details),
  retryable: true,
});
const RATE = repeated(limited());
const QUOTA = failure(429, 'rate_limited', { reason: 'quota' });
const waits = (retry_after_ms: unknown) => limited({ retry_after_ms });
const safety = (more: object = {}) =>
  failure(400, 'safety_rejected', {
    safety_category: 'content_policy',
    recovery: 'revise_prompt_or_inputs',
    retry_same_request: false,
    requested_moderation: 'auto',
    input_images_present: false,
    ...more,
  });
/** The fault is found when the image is verified. The call itself succeeded. */
const invalidImage = (reason: string): ExpectedReply => ({
  ...protocol(reason),
  details: { reason },
});
const UNUSABLE = protocol('unusable_image');
/** After a partial image a call is charged, so it is not retried. */
const TIMEOUT: ExpectedReply = {
  ...failure(504, 'timeout', { outcome: 'unknown', provider_stopped: true }),
  timeoutMs: 700,
};

/** The required replies, one row for each behaviour of the emulator. */
export const EXPECTED_REPLIES: Readonly<Record<BehaviourName, ExpectedReply>> = {
  succeed: SUCCESS,
  'wire=one-byte': SUCCESS,
  'wire=random': SUCCESS,
  'wire=pretty': SUCCESS,
  'wire=no-content-type': SUCCESS,
  'wire=text': SUCCESS,
  'wire=page': SUCCESS,
  'wire=crlf': SUCCESS,
  'wire=cr': SUCCESS,
  'wire=no-event-lines': SUCCESS,
  'wire=no-space': SUCCESS,
  'wire=many-data-lines': SUCCESS,
  'wire=bom': SUCCESS,
  'wire=done': SUCCESS,
  'usage=zero': SUCCESS,
  'usage=none': SUCCESS,
  'revised-prompt': SUCCESS,
  'more-members': SUCCESS,

  'status=400': refused({ upstream_code: 'invalid_request_error' }),
  'status=401': AUTHENTICATION,
  'status=402': QUOTA,
  'status=403': PERMISSION,
  'status=404': NO_MODEL,
  'status=408': UNKNOWN,
  'status=409': TRANSIENT,
  'status=413': refused({ upstream_code: 'request_too_large' }),
  'status=422': refused({ upstream_code: 'unprocessable' }),
  'status=429': RATE,
  'status=500': TRANSIENT,
  'status=502': UNKNOWN,
  'status=503': TRANSIENT,
  'status=504': UNKNOWN,
  'status=520': UNKNOWN,
  'status=522': UNKNOWN,
  'status=524': UNKNOWN,
  'status=527': UNKNOWN,
  'status=529': UNKNOWN,
  'status=400,content_policy_violation': safety(),
  'status=400,billing_hard_limit_reached': QUOTA,
  'status=400,invalid_input_fidelity_model': failure(400, 'unsupported_capability'),
  'status=400,invalid_image_file': failure(400, 'input'),
  'status=400,unsupported_country': refused({ upstream_code: 'unsupported_country' }),
  'status=404,DeploymentNotFound': NO_MODEL,
  'status=429,insufficient_quota': QUOTA,
  'status=429,credit_balance_exhausted': QUOTA,
  'status=429,project_spend_limit_exceeded': QUOTA,
  'status=429,organization_usage_limit_exceeded': QUOTA,
  'status=400,moderation_blocked': safety({
    moderation_stage: 'output',
    moderation_categories: ['violence'],
  }),
  'status=400,content_filter': safety(),
  'status=400,contentFilter': safety(),
  // Only Azure has inner errors.
  'status=400,inner-code': refused({ upstream_code: 'BadRequest' }),
  'status=400,unknown_parameter': unsupported('parameters.quality'),
  'status=400,invalid_value': unsupported('parameters.size'),
  'status=400,odd-code': refused(),
  // Only OpenRouter has these details.
  'status=400,unrouted': refused({ upstream_code: 'invalid_request_error' }),
  'status=404,unrouted': unknownCode('invalid_request_error'),
  'status=403,flagged': PERMISSION,
  'status=429,quota-type': QUOTA,
  'status=429,retry-after=1': repeated(waits(1000)),
  'status=429,retry-after=3600': waits(3_600_000),
  'status=429,retry-after=soon': RATE,
  'status=429,retry-after=-5': RATE,
  'status=429,retry-after-ms=1500': repeated(waits(1500)),
  'status=429,reset=6m0s': waits(360_000),
  'status=429,reset=1h2m3s': waits(3_723_000),
  'status=429,reset=remaining': RATE,
  'status=429,reset=words': RATE,
  'status=429,retry-after=date': repeated(waits(expect.any(Number))),
  'status=503,no-retry': upstream(),
  'status=400,html': refused(),
  'status=400,empty': refused(),
  'status=401,html': AUTHENTICATION,
  'status=401,empty': AUTHENTICATION,
  'status=403,html': PERMISSION,
  'status=403,empty': PERMISSION,
  'status=404,html': upstream(),
  'status=404,empty': upstream(),
  'status=429,html': RATE,
  'status=429,empty': RATE,
  'status=500,html': TRANSIENT,
  'status=500,empty': TRANSIENT,
  'status=502,html': UNKNOWN,
  'status=502,empty': UNKNOWN,
  'status=503,html': TRANSIENT,
  'status=503,empty': TRANSIENT,
  'status=500,huge': TRANSIENT,
  'status=301': upstream(),
  'status=302': upstream(),
  'status=303': upstream(),
  'status=307': upstream(),
  'status=308': upstream(),
  'html=200': unreadable('not_json'),
  'empty=200': unreadable('ended_early'),
  'empty=204': unreadable('ended_early'),

  'count=none': NO_IMAGE,
  'count=fewer': NO_IMAGE,
  'count=more': failure(502, 'protocol', { reason: 'wrong_count', returned_images: 2 }),
  'body=error': TRANSIENT,
  'body=rate-limit': RATE,
  'body=moderation': safety(),
  'body=no-data': unreadable('ended_early'),
  'body=data-null': unreadable('ended_early'),
  'body=data-object': unreadable('ended_early'),
  'body=item-empty': UNUSABLE,
  'body=item-null': UNUSABLE,
  'body=moderated': UNUSABLE,
  'body=item-number': UNUSABLE,
  'body=list': unreadable('ended_early'),
  'body=error-and-data': UNKNOWN,
  'body=words': unreadable('ended_early'),
  'body=half': unreadable('not_json'),
  'body=trailing': unreadable('not_json'),
  'wire=gzip': unreadable('ended_early'),

  'image=gif': invalidImage('unsupported_format'),
  'image=svg': invalidImage('unsupported_format'),
  'image=html': invalidImage('unsupported_format'),
  'image=pixel-bomb': invalidImage('edge_too_long'),
  // Only as many bytes as the pixels need are inflated, so this is a small, valid image.
  'image=data-bomb': OTHER_SIZE,
  'image=text-bomb': invalidImage('chunk_too_large'),
  'image=truncated': invalidImage('truncated'),
  'image=trailing': invalidImage('trailing_bytes'),
  'image=other-format': invalidImage('format_mismatch'),
  'image=other-size': OTHER_SIZE,
  'image=with-alpha': SUCCESS,
  'image=without-alpha': SUCCESS,
  'image=too-large': unreadable('stream_too_long'),
  'image=empty': UNUSABLE,
  'base64=alphabet': UNUSABLE,
  'base64=url': UNUSABLE,
  'base64=space': UNUSABLE,
  'base64=length': UNUSABLE,
  'base64=data-url': UNUSABLE,
  'base64=words': UNUSABLE,

  'url=absolute': SUCCESS,
  'url=relative': SUCCESS,
  'url=foreign': protocol('host_not_allowed'),
  'url=foreign-plain': protocol('not_an_https_url'),
  'url=other-port': protocol('not_an_https_url'),
  'url=metadata': protocol('not_an_https_url'),
  'url=file': protocol('not_an_https_url'),
  'url=data': protocol('not_an_https_url'),
  'url=login': SUCCESS,
  'url=words': protocol('not_an_https_url'),
  'url=missing': protocol('status_not_ok'),
  'url=redirect': protocol('status_not_ok'),
  'url=html': invalidImage('unsupported_format'),
  'url=huge': protocol('too_many_bytes'),
  'url=cut': protocol('unreachable'),
  'url=truncated': invalidImage('truncated'),

  'stream=json': SUCCESS,
  'stream=no-completed': unreadable('ended_early'),
  'stream=nothing': unreadable('ended_early'),
  'stream=twice': SUCCESS,
  'stream=unknown-events': SUCCESS,
  'stream=no-image': UNUSABLE,
  'stream=bad-partial': SUCCESS,
  'stream=error:rate_limit_exceeded': afterOutput(limited()),
  'stream=error:insufficient_quota': afterOutput(QUOTA),
  'stream=error:moderation_blocked': afterOutput(safety()),
  'stream=error:server_error': UNKNOWN,
  'stream=error:invalid_value': afterOutput(failure(400, 'unsupported_capability')),
  'stream=error:some_new_code': afterOutput(unknownCode('some_new_code')),
  'stream=error-at-once': RATE,
  'stream=error-flat': UNKNOWN,
  'stream=data-error': afterOutput(limited()),
  'stream=garbage': unreadable('not_json'),
  'stream=cut': LOST,
  'stream=half': unreadable('ended_early'),
  'stream=silence': TIMEOUT,

  'cut=before-headers': LOST,
  'reset=before-headers': LOST,
  'cut=after-headers': LOST,
  'cut=body': LOST,
  'reset=body': LOST,
  'cut=end': LOST,
  'silence=before-headers': TIMEOUT,
  'silence=body': TIMEOUT,
  'not-http': LOST,
};
