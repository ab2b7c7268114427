import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import type { CallInFlight } from '../call-in-flight.ts';
import { behaviour } from './behaviour.ts';
import { asked, defaultBody, succeed } from './default-reply.ts';

/** Replies with status 200 that differ from the request. */
export const BODY_ROWS = [
  count('none', 'no image', () => 0),
  count('fewer', 'one image too few', (n) => n - 1),
  count('more', 'one image too many', (n) => n + 1),
  json('error', 'an error under status 200', ({ failureBody }) => failureBody(failure())),
  json('rate-limit', 'a rate limit under status 200', ({ failureBody }) =>
    failureBody({ ...failure(), code: 'rate_limit_exceeded', type: 'requests' }),
  ),
  json('moderation', 'a moderation under status 200', ({ failureBody }) =>
    failureBody({ ...failure(), code: 'moderation_blocked' }),
  ),
  json('no-data', 'no `data`', () => ({ created: 1 })),
  json('data-null', '`data` is null', () => ({ created: 1, data: null })),
  json('data-object', '`data` is an object', () => ({ created: 1, data: {} })),
  json('item-empty', 'an item without an image', ({ body }) => body([{}])),
  json('item-null', 'an item whose image is null', ({ body }) => body([{ b64_json: null }])),
  json('item-number', 'an item whose image is a number', ({ body }) => body([{ b64_json: 7 }])),
  json('moderated', 'an image that moderation has replaced', ({ body }) => ({
    ...body([{ b64_json: '' }]),
    data: [{ b64_json: '', respect_moderation: false }],
  })),
  json('list', 'a list', () => [1, 2]),
  json('error-and-data', 'an error beside the image', async (inFlight) => ({
    ...Object(inFlight.failureBody(failure())),
    ...(await defaultBody(inFlight)),
  })),
  behaviour('body=words', 'words that are no JSON', ({ replyPage }) =>
    replyPage(200, 'done, done'),
  ),
  behaviour('body=half', 'the first half of the JSON, properly ended', async (inFlight) => {
    const text = JSON.stringify(inFlight.body([{ b64_json: 'AAAA' }]));
    await inFlight.replyPage(200, text.slice(0, text.length / 2));
  }),
  behaviour('body=trailing', 'more after the JSON', async (inFlight) => {
    const base64 = (await inFlight.draw()).base64.toString('latin1');
    await inFlight.replyPage(200, `${JSON.stringify(inFlight.body([{ b64_json: base64 }]))}{}`);
  }),
  behaviour('wire=gzip', 'a compressed reply that was not requested', succeed, {
    isCompressed: true,
  }),
] as const;

function failure() {
  return { status: 200, code: 'server_error', message: UPSTREAM_TEXT };
}

function count<const Name extends string>(
  name: Name,
  what: string,
  toCount: (requested: number) => number,
) {
  return behaviour(`count=${name}`, what, async (inFlight) => {
    const items = [];
    for (let left = toCount(inFlight.call.n); left > 0; left -= 1) {
      items.push(asked(inFlight, await inFlight.draw()));
    }
    await inFlight.replyJson(inFlight.body(items));
  });
}

function json<const Name extends string>(
  name: Name,
  what: string,
  toBody: (inFlight: CallInFlight) => unknown,
) {
  return behaviour(`body=${name}`, what, async (inFlight) => {
    await inFlight.replyJson(Object(await toBody(inFlight)));
  });
}
