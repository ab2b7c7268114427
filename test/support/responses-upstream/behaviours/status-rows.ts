import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import type { CallInFlight } from '../call-in-flight.ts';
import type { WireError } from '../wire-types.ts';
import { behaviour } from './behaviour.ts';
import { defaultResponse } from './default-response.ts';

type Headers = Readonly<Record<string, string>>;

const PAGE = `<!doctype html><title>${UPSTREAM_TEXT}</title><p>${UPSTREAM_TEXT}</p>`;
const HUGE_BYTES = 20_000_000;
const HOUR_SECS = 3600;

const MODERATION = {
  type: 'image_generation_user_error',
  moderation_stage: 'input',
  moderation_categories: ['violence', 'sexual', 'some-new-category'],
} as const;

/** Statuses with one error code and nothing else. */
const PLAIN = [
  [400, 'invalid_value'],
  [401, 'token_expired'],
  [403, 'permission_denied'],
  [404, 'not_found'],
  [408, 'request_timeout'],
  [409, 'conflict'],
  [413, 'request_too_large'],
  [422, 'unprocessable'],
  [429, 'rate_limit_exceeded'],
  [500, 'server_error'],
  [502, 'bad_gateway'],
  [503, 'service_unavailable'],
  [504, 'gateway_timeout'],
  [529, 'overloaded'],
] as const;

/** Codes of replies with status 400. */
const REFUSED_BY_CODE = [
  'content_policy_violation',
  'safety_violation',
  'cyber_policy',
  'unsupported_parameter',
  'unsupported_value',
  'server_error',
] as const;

/** Replies without a stream, distinguished by status. */
export const STATUS_ROWS = [
  ...PLAIN.map(([status, code]) =>
    behaviour(`status=${status}`, `a plain ${status}`, (inFlight) =>
      refuse(inFlight, status, { code }),
    ),
  ),
  ...REFUSED_BY_CODE.map((code) =>
    behaviour(`status=400,${code}`, 'a 400 with that code', (inFlight) =>
      refuse(inFlight, 400, { code }),
    ),
  ),
  behaviour('status=400,moderation_blocked', 'refused, with stage and categories', (inFlight) =>
    refuse(inFlight, 400, { code: 'moderation_blocked', ...MODERATION }),
  ),
  behaviour('status=400,type', 'no code, a known type', (inFlight) =>
    refuse(inFlight, 400, { code: null, type: 'moderation_blocked' }),
  ),
  behaviour('status=400,odd-code', 'a code that is no word', (inFlight) =>
    refuse(inFlight, 400, { code: `${UPSTREAM_TEXT}: "<b>"` }),
  ),
  behaviour('status=400,not-json', 'a 400 whose body is a page', (inFlight) =>
    inFlight.reply(400, PAGE),
  ),
  behaviour('status=403,html', 'the page of a firewall in front', (inFlight) =>
    inFlight.reply(403, PAGE),
  ),
  behaviour('status=502,html', 'the page of a proxy', (inFlight) => inFlight.reply(502, PAGE)),
  behaviour('status=500,empty', 'a 500 without a body', (inFlight) => inFlight.reply(500, '')),
  behaviour('status=500,huge', `a 500 with ${HUGE_BYTES} bytes`, (inFlight) =>
    inFlight.reply(500, PAGE.padEnd(HUGE_BYTES)),
  ),
  behaviour('status=503,overloaded', 'server_is_overloaded, wait 1 s', (inFlight) =>
    refuse(inFlight, 503, { code: 'server_is_overloaded' }, { 'retry-after': '1' }),
  ),

  ...(['1', '3600', 'soon', '-5'] as const).map((seconds) =>
    behaviour(`status=429,retry-after=${seconds}`, 'says when to retry', (inFlight) =>
      limit(inFlight, { 'retry-after': seconds }),
    ),
  ),
  behaviour('status=429,retry-after=date', 'says when to retry as a date, 2 s ahead', (inFlight) =>
    limit(inFlight, { 'retry-after': inFlight.httpDate(2) }),
  ),
  behaviour('status=429,usage_limit_reached', 'the allowance is used up for an hour', (inFlight) =>
    refuse(inFlight, 429, {
      code: null,
      type: 'usage_limit_reached',
      resets_in_seconds: HOUR_SECS,
    }),
  ),
  behaviour('status=429,insufficient_quota', 'there is no allowance', (inFlight) =>
    refuse(inFlight, 429, { code: 'insufficient_quota' }),
  ),

  ...([301, 302, 303, 307, 308] as const).map((status) =>
    behaviour(`status=${status}`, 'points to another path of this server', (inFlight) =>
      inFlight.reply(status, '', { location: '/elsewhere' }),
    ),
  ),
  behaviour('html=200', 'a page instead of the stream', (inFlight) => inFlight.reply(200, PAGE)),
  behaviour('empty=200', 'a 200 with no body', (inFlight) => inFlight.reply(200, '')),
  behaviour('empty=204', 'a 204', (inFlight) => inFlight.reply(204, '')),
  behaviour('json=200', 'the whole response as JSON, not as events', async (inFlight) => {
    const { completed } = await defaultResponse(inFlight);
    await inFlight.reply(200, 'response' in completed ? completed.response : {});
  }),
] as const;

function limit(inFlight: CallInFlight, headers: Headers): Promise<void> {
  return refuse(inFlight, 429, { code: 'rate_limit_exceeded' }, headers);
}

function refuse(
  inFlight: CallInFlight,
  status: number,
  error: Omit<WireError, 'message'>,
  headers: Headers = {},
): Promise<void> {
  const body = { error: { message: UPSTREAM_TEXT, type: 'error', param: null, ...error } };
  return inFlight.reply(status, body, headers);
}
