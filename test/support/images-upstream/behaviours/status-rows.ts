import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import type { CallInFlight } from '../call-in-flight.ts';
import type { Failure } from '../dialects/dialect.ts';
import { behaviour } from './behaviour.ts';

type Headers = Readonly<Record<string, string>>;

const PAGE = `<!doctype html><title>${UPSTREAM_TEXT}</title><p>${UPSTREAM_TEXT}</p>`;
const HUGE_BYTES = 20_000_000;

/** Statuses with one error code and nothing else. */
const PLAIN = [
  [400, 'invalid_request_error'],
  [401, 'invalid_api_key'],
  [402, 'payment_required'],
  [403, 'permission_denied'],
  [404, 'model_not_found'],
  [408, 'request_timeout'],
  [409, 'conflict'],
  [413, 'request_too_large'],
  [422, 'unprocessable'],
  [429, 'rate_limit_exceeded'],
  [500, 'server_error'],
  [502, 'bad_gateway'],
  [503, 'service_unavailable'],
  [504, 'gateway_timeout'],
  [520, 'unknown_error'],
  [522, 'connection_timed_out'],
  [524, 'a_timeout_occurred'],
  [527, 'railgun_error'],
  [529, 'provider_overloaded'],
] as const;

/** Errors whose meaning is in their code. */
const BY_CODE = [
  '400,content_policy_violation',
  '400,billing_hard_limit_reached',
  '400,invalid_input_fidelity_model',
  '400,invalid_image_file',
  '400,unsupported_country',
  '404,DeploymentNotFound',
  '429,insufficient_quota',
  '429,credit_balance_exhausted',
  '429,project_spend_limit_exceeded',
  '429,organization_usage_limit_exceeded',
] as const;

/** Times to retry, in the headers of a 429. */
const WAITS = [
  ['retry-after=1', { 'retry-after': '1' }],
  ['retry-after=3600', { 'retry-after': '3600' }],
  ['retry-after=soon', { 'retry-after': 'soon' }],
  ['retry-after=-5', { 'retry-after': '-5' }],
  ['retry-after-ms=1500', { 'retry-after-ms': '1500', 'retry-after': '9' }],
  ['reset=6m0s', limits('6m0s', '0', '12ms', '0')],
  ['reset=1h2m3s', limits('1h2m3s', '0', '6m0s', '5')],
  ['reset=remaining', limits('6m0s', '4', '9s', '5')],
  ['reset=words', limits('soon', '0', '', '0')],
] as const satisfies readonly (readonly [string, Headers])[];

/** Replies without an image, distinguished by status and then by code. */
export const STATUS_ROWS = [
  ...PLAIN.map(([status, code]) =>
    behaviour(`status=${status}`, `a plain ${status}`, (inFlight) =>
      refuse(inFlight, { status, code }),
    ),
  ),
  ...BY_CODE.map((name) => {
    const [status = '', code = ''] = name.split(',');
    return behaviour(`status=${name}`, `a ${status} with that code`, (inFlight) =>
      refuse(inFlight, { status: Number(status), code }),
    );
  }),
  behaviour('status=400,moderation_blocked', 'refused, with stage and categories', (inFlight) =>
    refuse(inFlight, {
      status: 400,
      code: 'moderation_blocked',
      type: 'image_generation_user_error',
      moderation: { moderation_stage: 'output', categories: ['violence', 'some-new-category'] },
    }),
  ),
  behaviour('status=400,content_filter', "Azure's filter, with an inner error", (inFlight) =>
    refuse(inFlight, {
      status: 400,
      code: 'content_filter',
      innerCode: 'ResponsibleAIPolicyViolation',
    }),
  ),
  behaviour('status=400,contentFilter', "Azure's filter in its older form", (inFlight) =>
    refuse(inFlight, { status: 400, code: 'contentFilter' }),
  ),
  behaviour('status=400,inner-code', 'a filter that only the inner error names', (inFlight) =>
    refuse(inFlight, {
      status: 400,
      code: 'BadRequest',
      innerCode: 'ResponsibleAIPolicyViolation',
    }),
  ),
  behaviour('status=400,unknown_parameter', 'does not know `quality`', (inFlight) =>
    refuse(inFlight, { status: 400, code: 'unknown_parameter', param: 'quality' }),
  ),
  behaviour('status=400,invalid_value', 'does not take `size`', (inFlight) =>
    refuse(inFlight, { status: 400, code: 'invalid_value', param: 'size' }),
  ),
  behaviour('status=400,odd-code', 'a code that is no word', (inFlight) =>
    refuse(inFlight, { status: 400, code: `${UPSTREAM_TEXT}: "<b>"` }),
  ),
  ...([400, 404] as const).map((status) =>
    behaviour(`status=${status},unrouted`, 'no upstream of OpenRouter', (inFlight) =>
      refuse(inFlight, { status, metadata: { failed_routing_step: 'supported_parameters' } }),
    ),
  ),
  behaviour('status=403,flagged', "refused by OpenRouter's moderation", (inFlight) =>
    refuse(inFlight, { status: 403, metadata: { reasons: ['violence'] } }),
  ),
  behaviour('status=429,quota-type', 'no code, the type says it', (inFlight) =>
    refuse(inFlight, { status: 429, code: null, type: 'insufficient_quota' }),
  ),
  ...WAITS.map(([name, headers]) =>
    behaviour(`status=429,${name}`, 'says when to try again', (inFlight) =>
      refuse(inFlight, { status: 429, code: 'rate_limit_exceeded' }, headers),
    ),
  ),
  behaviour('status=429,retry-after=date', 'says when to try again as a date', (inFlight) =>
    refuse(
      inFlight,
      { status: 429, code: 'rate_limit_exceeded' },
      { 'retry-after': inFlight.httpDate(2) },
    ),
  ),
  behaviour('status=503,no-retry', 'a 503 that forbids a repeat', (inFlight) =>
    refuse(inFlight, { status: 503, code: 'service_unavailable' }, { 'x-should-retry': 'false' }),
  ),

  ...([400, 401, 403, 404, 429, 500, 502, 503] as const).flatMap((status) => [
    behaviour(`status=${status},html`, `a ${status} whose body is a page`, (inFlight) =>
      inFlight.replyPage(status, PAGE),
    ),
    behaviour(`status=${status},empty`, `a ${status} without a body`, (inFlight) =>
      inFlight.replyPage(status, ''),
    ),
  ]),
  behaviour('status=500,huge', `a 500 with ${HUGE_BYTES} bytes`, (inFlight) =>
    inFlight.replyPage(500, PAGE.padEnd(HUGE_BYTES)),
  ),
  ...([301, 302, 303, 307, 308] as const).map((status) =>
    behaviour(`status=${status}`, 'points to another path of this server', (inFlight) =>
      inFlight.replyPage(status, '', { location: '/elsewhere' }),
    ),
  ),
  behaviour('html=200', 'a page instead of an image', (inFlight) => inFlight.replyPage(200, PAGE)),
  behaviour('empty=200', 'a 200 without a body', (inFlight) => inFlight.replyPage(200, '')),
  behaviour('empty=204', 'a 204', (inFlight) => inFlight.replyPage(204, '')),
] as const;

function limits(
  requestsReset: string,
  requestsLeft: string,
  tokensReset: string,
  tokensLeft: string,
): Headers {
  return {
    'x-ratelimit-reset-requests': requestsReset,
    'x-ratelimit-remaining-requests': requestsLeft,
    'x-ratelimit-reset-tokens': tokensReset,
    'x-ratelimit-remaining-tokens': tokensLeft,
  };
}

function refuse(
  inFlight: CallInFlight,
  failure: Omit<Failure, 'message'>,
  headers: Headers = {},
): Promise<void> {
  return inFlight.fail({ message: UPSTREAM_TEXT, ...failure }, headers);
}
