import { UPSTREAM_TEXT } from '../../upstream/upstream-text.ts';
import { behaviour } from './behaviour.ts';
import {
  allOf,
  defaultResponse,
  ending,
  finishedCall,
  firstIndex,
  generating,
  opening,
  play,
  sendAll,
  untilCompleted,
  untilPartials,
} from './default-response.ts';

/** Every error code inside a stream, including unknown codes. */
const STREAM_CODES = [
  'authentication_error',
  'invalid_api_key',
  'token_expired',
  'permission_denied',
  'moderation_blocked',
  'content_policy_violation',
  'safety_violation',
  'cyber_policy',
  'rate_limit_exceeded',
  'insufficient_quota',
  'usage_limit_reached',
  'unsupported_parameter',
  'unsupported_value',
  'server_error',
  'server_is_overloaded',
  'overloaded',
  'service_unavailable',
  'a_code_from_tomorrow',
] as const;

const MESSAGE = UPSTREAM_TEXT;
const TRANSIENT = { code: 'server_error', message: MESSAGE };
const RESET_SECS = 3600;

/** Streams that report a failed call. */
export const FAILURE_ROWS = [
  ...STREAM_CODES.map((code) =>
    behaviour(`failed=${code}`, 'response.failed with this code', async (inFlight) => {
      const failed = inFlight.events.failed({ code, message: MESSAGE, ...membersOf(code) });
      await play(inFlight, [...opening(inFlight), failed]);
    }),
  ),
  behaviour('failed=odd-code', 'a code that is no word', async (inFlight) => {
    const failed = inFlight.events.failed({ code: `${UPSTREAM_TEXT}: "<b>"`, message: MESSAGE });
    await play(inFlight, [...opening(inFlight), failed]);
  }),
  behaviour('failed=no-error', 'response.failed without a reason', async (inFlight) => {
    await play(inFlight, [...opening(inFlight), inFlight.events.failed(null)]);
  }),
  behaviour('failed-after-partial', 'server_error after a partial image', async (inFlight) => {
    const reply = await defaultResponse(inFlight, { leastPartials: 1 });
    await play(inFlight, [...untilPartials(reply), inFlight.events.failed(TRANSIENT)]);
  }),
  behaviour('failed-after-item', 'server_error after the finished item', async (inFlight) => {
    const before = untilCompleted(await defaultResponse(inFlight));
    await play(inFlight, [...before, inFlight.events.failed(TRANSIENT)]);
  }),

  ...(['content_filter', 'max_output_tokens'] as const).map((reason) =>
    behaviour(`incomplete=${reason}`, 'response.incomplete for this reason', async (inFlight) => {
      await play(inFlight, [...opening(inFlight), inFlight.events.incomplete(reason)]);
    }),
  ),
  behaviour('incomplete=code', 'response.incomplete whose error has a code', async (inFlight) => {
    const error = { code: 'moderation_blocked', message: MESSAGE };
    const last = inFlight.events.incomplete('max_output_tokens', error);
    await play(inFlight, [...opening(inFlight), last]);
  }),

  ...STREAM_CODES.map((code) =>
    behaviour(`error=${code}`, 'an error event, the code at its top', async (inFlight) => {
      const error = inFlight.events.error(code, MESSAGE);
      await play(inFlight, [...opening(inFlight), { ...error, ...membersOf(code) }]);
    }),
  ),
  ...STREAM_CODES.map((code) =>
    behaviour(`error-nested=${code}`, 'an error event, the code inside', async (inFlight) => {
      const stream = inFlight.open();
      await sendAll(stream, opening(inFlight));
      const error = { code, message: MESSAGE, ...membersOf(code) };
      await stream.aside({ type: 'error', error });
      await stream.end();
    }),
  ),
  behaviour('error-then-success', 'an error event, then all of a success', async (inFlight) => {
    const error = inFlight.events.error('server_error', MESSAGE);
    await play(inFlight, [error, ...allOf(await defaultResponse(inFlight))]);
  }),

  behaviour('refusal', 'completed, with a refusal instead of an image', async (inFlight) => {
    const content = { type: 'refusal' as const, refusal: UPSTREAM_TEXT };
    const item = inFlight.items.message([content]);
    await play(inFlight, [...opening(inFlight), ...ending(inFlight, [item])]);
  }),
  behaviour('no-image', 'completed, with text instead of an image', async (inFlight) => {
    const content = { type: 'output_text' as const, text: UPSTREAM_TEXT, annotations: [] };
    const item = inFlight.items.message([content]);
    await play(inFlight, [...opening(inFlight), ...ending(inFlight, [item])]);
  }),
  behaviour('no-image=empty', 'completed, without any item', async (inFlight) => {
    await play(inFlight, [...opening(inFlight), ...ending(inFlight, [])]);
  }),
  behaviour('failed-call', 'completed, but the image call has failed', async (inFlight) => {
    const id = inFlight.items.newCallId();
    const item = inFlight.items.emptyCall(id, 'failed');
    const before = [...opening(inFlight), ...generating(inFlight, id)];
    await play(inFlight, [...before, ...ending(inFlight, [item])]);
  }),

  behaviour('two-images=different', 'two image calls, two images', async (inFlight) => {
    const other = await inFlight.generate({ variant: 'another' });
    const [first, second] = [inFlight.items.newCallId(), inFlight.items.newCallId()];
    const items = [
      await finishedCall(inFlight, first),
      await finishedCall(inFlight, second, other.base64),
    ];
    await play(inFlight, [...opening(inFlight), ...ending(inFlight, items)]);
  }),
  behaviour('two-images=equal', 'two image calls, twice the same image', async (inFlight) => {
    const [first, second] = [inFlight.items.newCallId(), inFlight.items.newCallId()];
    const items = [await finishedCall(inFlight, first), await finishedCall(inFlight, second)];
    await play(inFlight, [...opening(inFlight), ...ending(inFlight, items)]);
  }),
  behaviour('two-images=contradiction', 'completed repeats it differently', async (inFlight) => {
    const id = inFlight.items.newCallId();
    const other = await inFlight.generate({ variant: 'another' });
    const done = inFlight.events.done(await finishedCall(inFlight, id), firstIndex(inFlight));
    const last = inFlight.events.completed([await finishedCall(inFlight, id, other.base64)]);
    await play(inFlight, [...opening(inFlight), ...generating(inFlight, id), done, last]);
  }),
] as const;

/** Members that the backend adds for some codes. */
function membersOf(code: string) {
  if (code === 'moderation_blocked') {
    return { moderation_stage: 'output', moderation_categories: ['violence', 'some-new-category'] };
  }
  return code === 'usage_limit_reached' ? { resets_in_seconds: RESET_SECS } : {};
}
