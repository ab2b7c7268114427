import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import { badRequest, errorBody, errorInfo, quotaFailure, retryInfo } from '../google-refusal.ts';
import { behaviour, imageReply } from './behaviour.ts';

const PAGE = `<!doctype html><title>${UPSTREAM_TEXT}</title><p>${UPSTREAM_TEXT}</p>`;
const HUGE_BYTES = 20_000_000;
const QUOTA_ID = 'GenerateRequestsPerProjectPerModel';

/** Statuses with their usual `google.rpc` status and no details. */
const PLAIN = [
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [402, 'FAILED_PRECONDITION'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'CANCELLED'],
  [409, 'ABORTED'],
  [413, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
  [520, 'UNKNOWN'],
  [529, 'UNAVAILABLE'],
] as const;

/** Errors in the form of the Google APIs and in other forms. */
export const FAILURE_ROWS = [
  ...PLAIN.map(([code, status]) => failure(`status=${code}`, `a plain ${code}`, code, status)),
  failure('key=refused', 'the key is not valid', 400, 'INVALID_ARGUMENT', [
    errorInfo('API_KEY_INVALID'),
  ]),
  failure('status=400,precondition', 'not in this country', 400, 'FAILED_PRECONDITION'),
  failure('status=400,ratio', 'the ratio is wrong', 400, 'INVALID_ARGUMENT', [
    badRequest('generation_config.image_config.aspect_ratio'),
  ]),
  failure('status=400,size', 'the size is wrong', 400, 'INVALID_ARGUMENT', [
    badRequest('generationConfig.imageConfig.imageSize'),
  ]),
  failure('status=400,unknown-field', 'a field is unknown', 400, 'INVALID_ARGUMENT', [
    badRequest('generation_config'),
  ]),
  failure('status=400,image', 'an image cannot be read', 400, 'INVALID_ARGUMENT', [
    badRequest('contents[0].parts[1].inline_data'),
  ]),
  failure('status=429,per-minute', 'too many a minute, wait 2 s', 429, 'RESOURCE_EXHAUSTED', [
    quotaFailure(`${QUOTA_ID}PerMinute`),
    retryInfo('2.000s'),
  ]),
  failure('status=429,per-day', 'too many a day', 429, 'RESOURCE_EXHAUSTED', [
    quotaFailure('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
    retryInfo('58s'),
  ]),
  failure('status=429,odd-delay', 'a delay that is a word', 429, 'RESOURCE_EXHAUSTED', [
    retryInfo('soon'),
  ]),
  behaviour('status=429,retry-after=3', 'says when to retry in a header', (inFlight) =>
    inFlight.reply(429, errorBody(429, 'RESOURCE_EXHAUSTED', UPSTREAM_TEXT), {
      'retry-after': '3',
    }),
  ),
  behaviour('status=404,html', 'the page of another server', (inFlight) =>
    inFlight.reply(404, PAGE),
  ),
  behaviour('status=502,html', 'the page of a proxy', (inFlight) => inFlight.reply(502, PAGE)),
  behaviour('status=500,empty', 'a 500 without a body', (inFlight) => inFlight.reply(500, '')),
  behaviour('status=500,huge', `a 500 with ${HUGE_BYTES} bytes`, (inFlight) =>
    inFlight.reply(500, PAGE.padEnd(HUGE_BYTES)),
  ),
  behaviour('status=400,odd', 'a 400 whose details are no list', (inFlight) =>
    inFlight.reply(400, { error: { code: '400', status: 7, details: { reason: UPSTREAM_TEXT } } }),
  ),
  ...([301, 302, 307, 308] as const).map((status) =>
    behaviour(`status=${status}`, 'points to another path of this server', (inFlight) =>
      inFlight.reply(status, '', { location: '/elsewhere' }),
    ),
  ),
  behaviour('html=200', 'a page instead of the reply', (inFlight) => inFlight.reply(200, PAGE)),
  behaviour('empty=200', 'a 200 with no body', (inFlight) => inFlight.reply(200, '')),
  behaviour('error=200', 'a 503 under the status 200', (inFlight) =>
    inFlight.reply(200, errorBody(503, 'UNAVAILABLE', UPSTREAM_TEXT)),
  ),
  behaviour('error=200,image', 'a 503 beside the image', async (inFlight) =>
    inFlight.reply(200, {
      ...(await imageReply(inFlight)),
      ...errorBody(503, 'UNAVAILABLE', UPSTREAM_TEXT),
    }),
  ),
  behaviour('error=200,odd', 'an error without a code under the status 200', (inFlight) =>
    inFlight.reply(200, { error: { message: UPSTREAM_TEXT } }),
  ),
  behaviour('shape=200', 'a 200 whose candidates are no list', (inFlight) =>
    inFlight.reply(200, { candidates: 'none' }),
  ),
  behaviour('null=200', 'a 200 that is null', (inFlight) => inFlight.reply(200, null)),
] as const;

function failure<const Name extends string>(
  name: Name,
  about: string,
  code: number,
  status: string,
  details: readonly object[] = [],
) {
  return behaviour(name, about, (inFlight) =>
    inFlight.reply(code, errorBody(code, status, UPSTREAM_TEXT, details)),
  );
}
