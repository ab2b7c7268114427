import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import type { CallInFlight, StreamEvent } from '../call-in-flight.ts';
import { behaviour } from './behaviour.ts';
import { allOf, defaultBody, defaultEvents, type Events, play } from './default-reply.ts';

type Pick = (events: Events, inFlight: CallInFlight) => readonly StreamEvent[];

/** Codes of an error that ends a stream. */
const ERRORS = [
  'rate_limit_exceeded',
  'insufficient_quota',
  'moderation_blocked',
  'server_error',
  'invalid_value',
  'some_new_code',
] as const;

/** Invalid event streams, whether a stream was requested or not. */
export const STREAM_ROWS = [
  behaviour('stream=json', 'the whole reply as JSON instead of a stream', async (inFlight) => {
    await inFlight.replyJson(await defaultBody(inFlight));
  }),
  stream('no-completed', 'ends after the partial images', ({ partials }) => partials),
  stream('nothing', 'has no event at all', () => []),
  stream('twice', 'two finished images', ({ completed }) => [...completed, ...completed]),
  stream('unknown-events', 'events that no document names', (events) => [
    { type: 'keepalive' },
    { type: 'image_generation.in_progress', b64_json: 'bm90aGluZw==' },
    ...allOf(events),
    { type: 'image_generation.rated' },
  ]),
  stream('no-image', 'a finished event without an image', ({ completed }) =>
    completed.map((one) => ({ ...one, b64_json: undefined })),
  ),
  stream('bad-partial', 'a partial image that is none', ({ partials, completed }) => [
    ...partials.map((one) => ({ ...one, b64_json: 'bm8gaW1hZ2U=' })),
    ...completed,
  ]),
  ...ERRORS.map((code) =>
    stream(`error:${code}`, 'an error event with that code', ({ partials }) => [
      ...partials,
      { type: 'error', error: failure(code) },
    ]),
  ),
  stream('error-at-once', 'an error before anything else', () => [
    { type: 'error', error: failure('rate_limit_exceeded') },
  ]),
  stream('error-flat', 'an error event whose members are at the top', ({ partials }) => [
    ...partials,
    { ...failure('server_error'), type: 'error' },
  ]),
  behaviour('stream=data-error', 'data with an error and no type', async (inFlight) => {
    const body = inFlight.openStream();
    const { partials } = await defaultEvents(inFlight, { leastPartials: 1 });
    for (const one of partials) await body.send(one);
    await body.raw(`data: ${JSON.stringify({ error: failure('rate_limit_exceeded') })}\n\n`);
    await body.end();
  }),
  behaviour('stream=garbage', 'data that is no JSON', async (inFlight) => {
    const body = inFlight.openStream();
    await body.raw('data: {"type": image}\n\n');
    await body.end();
  }),
  behaviour('stream=cut', 'the connection breaks inside the finished image', async (inFlight) => {
    const { partials, completed } = await defaultEvents(inFlight);
    const body = inFlight.openStream();
    for (const one of partials) await body.send(one);
    const last = completed.map((one) => body.encode(one)).at(-1) ?? Buffer.alloc(0);
    await body.raw(last.subarray(0, last.length / 2));
    await inFlight.cut('close');
  }),
  behaviour('stream=half', 'ends properly inside the finished image', async (inFlight) => {
    const { completed } = await defaultEvents(inFlight);
    const body = inFlight.openStream();
    const last = completed.map((one) => body.encode(one)).at(-1) ?? Buffer.alloc(0);
    await body.raw(last.subarray(0, last.length / 2));
    await body.end();
  }),
  behaviour('stream=silence', 'nothing for a while after the partial images', async (inFlight) => {
    const { partials, completed } = await defaultEvents(inFlight);
    const body = inFlight.openStream();
    for (const one of partials) await body.send(one);
    await inFlight.silence();
    for (const one of completed) await body.send(one);
    await body.end();
  }),
] as const;

function failure(code: string) {
  return { message: UPSTREAM_TEXT, type: 'image_generation_error', param: null, code };
}

function stream<const Name extends string>(name: Name, what: string, pick: Pick) {
  return behaviour(`stream=${name}`, `a stream: ${what}`, async (inFlight) => {
    await play(inFlight, pick(await defaultEvents(inFlight), inFlight));
  });
}
