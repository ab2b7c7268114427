import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';
import { observe } from './observe.ts';
import { STATUS_ROWS } from './status-rows.ts';

type Name = (typeof STATUS_ROWS)[number]['name'];

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 30_000 });
});
afterAll(() => upstream.close());

const PAGE = { body: /^<!doctype html>/ };

/** The code or the body of each row, and the header of its reply. */
const REPLIES: Readonly<
  Record<Name, { code?: string | null; error?: object; body?: RegExp; header?: [string, RegExp] }>
> = {
  'status=400': { code: 'invalid_value' },
  'status=401': { code: 'token_expired' },
  'status=403': { code: 'permission_denied' },
  'status=404': { code: 'not_found' },
  'status=408': { code: 'request_timeout' },
  'status=409': { code: 'conflict' },
  'status=413': { code: 'request_too_large' },
  'status=422': { code: 'unprocessable' },
  'status=429': { code: 'rate_limit_exceeded' },
  'status=500': { code: 'server_error' },
  'status=502': { code: 'bad_gateway' },
  'status=503': { code: 'service_unavailable' },
  'status=504': { code: 'gateway_timeout' },
  'status=529': { code: 'overloaded' },
  'status=400,content_policy_violation': { code: 'content_policy_violation' },
  'status=400,safety_violation': { code: 'safety_violation' },
  'status=400,cyber_policy': { code: 'cyber_policy' },
  'status=400,unsupported_parameter': { code: 'unsupported_parameter' },
  'status=400,unsupported_value': { code: 'unsupported_value' },
  'status=400,server_error': { code: 'server_error' },
  'status=400,moderation_blocked': {
    code: 'moderation_blocked',
    error: { moderation_stage: 'input', type: 'image_generation_user_error' },
  },
  'status=400,type': { code: null, error: { type: 'moderation_blocked' } },
  'status=400,odd-code': { code: `${UPSTREAM_TEXT}: "<b>"` },
  'status=400,not-json': PAGE,
  'status=403,html': PAGE,
  'status=502,html': PAGE,
  'status=500,empty': { body: /^$/ },
  'status=500,huge': { body: / {1000}$/ },
  'status=503,overloaded': { code: 'server_is_overloaded', header: ['retry-after', /^1$/] },
  'status=429,retry-after=1': { code: 'rate_limit_exceeded', header: ['retry-after', /^1$/] },
  'status=429,retry-after=3600': { code: 'rate_limit_exceeded', header: ['retry-after', /^3600$/] },
  'status=429,retry-after=soon': { code: 'rate_limit_exceeded', header: ['retry-after', /^soon$/] },
  'status=429,retry-after=-5': { code: 'rate_limit_exceeded', header: ['retry-after', /^-5$/] },
  'status=429,retry-after=date': { code: 'rate_limit_exceeded', header: ['retry-after', / GMT$/] },
  'status=429,usage_limit_reached': {
    code: null,
    error: { type: 'usage_limit_reached', resets_in_seconds: 3600 },
  },
  'status=429,insufficient_quota': { code: 'insufficient_quota' },
  'status=301': { header: ['location', /^\/elsewhere$/] },
  'status=302': { header: ['location', /^\/elsewhere$/] },
  'status=303': { header: ['location', /^\/elsewhere$/] },
  'status=307': { header: ['location', /^\/elsewhere$/] },
  'status=308': { header: ['location', /^\/elsewhere$/] },
  'html=200': PAGE,
  'empty=200': { body: /^$/ },
  'empty=204': { body: /^$/ },
  'json=200': { body: /^\{"id":"resp_.*"result":"iVBOR/ },
};

describe('STATUS_ROWS', () => {
  it.each(STATUS_ROWS)('replies to $name with that status and a valid body', async ({ name }) => {
    const { code, error, body, header } = REPLIES[name];

    const { reply, text, call } = await observe(upstream, name);

    expect(reply?.status).toBe(Number(/\d{3}/.exec(name)?.[0]));
    expect([reply?.end, call?.outcome]).toEqual(['ended', 'replied']);
    if (body) expect(text).toMatch(body);
    if (code !== undefined) {
      expect(JSON.parse(text).error).toMatchObject({ code, message: UPSTREAM_TEXT, ...error });
    }
    if (header) expect(reply?.headers[header[0]]).toMatch(header[1]);
  });
});
