import { behaviour, UPSTREAM_TEXT } from './behaviour.ts';
import {
  allOf,
  drawing,
  ending,
  finishedCall,
  firstIndex,
  opening,
  play,
  sendAll,
  untilCompleted,
  untilPartials,
  usualAnswer,
} from './usual-answer.ts';

/** Every code that is told inside a stream, the unknown ones included. */
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

/** Streams that say by themselves that the call has failed. */
export const FAILURE_ROWS = [
  ...STREAM_CODES.map((code) =>
    behaviour(`failed=${code}`, 'response.failed with this code', async (exchange) => {
      const failed = exchange.events.failed({ code, message: MESSAGE, ...membersOf(code) });
      await play(exchange, [...opening(exchange), failed]);
    }),
  ),
  behaviour('failed=odd-code', 'a code that is no word', async (exchange) => {
    const failed = exchange.events.failed({ code: `${UPSTREAM_TEXT}: "<b>"`, message: MESSAGE });
    await play(exchange, [...opening(exchange), failed]);
  }),
  behaviour('failed=no-error', 'response.failed without a reason', async (exchange) => {
    await play(exchange, [...opening(exchange), exchange.events.failed(null)]);
  }),
  behaviour('failed-after-partial', 'server_error after a partial image', async (exchange) => {
    const answer = await usualAnswer(exchange, { leastPartials: 1 });
    await play(exchange, [...untilPartials(answer), exchange.events.failed(TRANSIENT)]);
  }),
  behaviour('failed-after-item', 'server_error after the finished item', async (exchange) => {
    const before = untilCompleted(await usualAnswer(exchange));
    await play(exchange, [...before, exchange.events.failed(TRANSIENT)]);
  }),

  ...(['content_filter', 'max_output_tokens'] as const).map((reason) =>
    behaviour(`incomplete=${reason}`, 'response.incomplete for this reason', async (exchange) => {
      await play(exchange, [...opening(exchange), exchange.events.incomplete(reason)]);
    }),
  ),
  behaviour('incomplete=code', 'response.incomplete whose error has a code', async (exchange) => {
    const error = { code: 'moderation_blocked', message: MESSAGE };
    const last = exchange.events.incomplete('max_output_tokens', error);
    await play(exchange, [...opening(exchange), last]);
  }),

  ...STREAM_CODES.map((code) =>
    behaviour(`error=${code}`, 'an error event, the code at its top', async (exchange) => {
      const error = exchange.events.error(code, MESSAGE);
      await play(exchange, [...opening(exchange), { ...error, ...membersOf(code) }]);
    }),
  ),
  ...STREAM_CODES.map((code) =>
    behaviour(`error-nested=${code}`, 'an error event, the code inside', async (exchange) => {
      const stream = exchange.open();
      await sendAll(stream, opening(exchange));
      const error = { code, message: MESSAGE, ...membersOf(code) };
      await stream.aside({ type: 'error', error });
      await stream.end();
    }),
  ),
  behaviour('error-then-success', 'an error event, then all of a success', async (exchange) => {
    const error = exchange.events.error('server_error', MESSAGE);
    await play(exchange, [error, ...allOf(await usualAnswer(exchange))]);
  }),

  behaviour('refusal', 'completed, with a refusal in place of an image', async (exchange) => {
    const content = { type: 'refusal' as const, refusal: UPSTREAM_TEXT };
    const item = exchange.items.message([content]);
    await play(exchange, [...opening(exchange), ...ending(exchange, [item])]);
  }),
  behaviour('no-image', 'completed, with words in place of an image', async (exchange) => {
    const content = { type: 'output_text' as const, text: UPSTREAM_TEXT, annotations: [] };
    const item = exchange.items.message([content]);
    await play(exchange, [...opening(exchange), ...ending(exchange, [item])]);
  }),
  behaviour('no-image=empty', 'completed, without any item', async (exchange) => {
    await play(exchange, [...opening(exchange), ...ending(exchange, [])]);
  }),
  behaviour('failed-call', 'completed, but the image call has failed', async (exchange) => {
    const id = exchange.items.newCallId();
    const item = exchange.items.emptyCall(id, 'failed');
    const before = [...opening(exchange), ...drawing(exchange, id)];
    await play(exchange, [...before, ...ending(exchange, [item])]);
  }),

  behaviour('two-images=different', 'two image calls, two images', async (exchange) => {
    const other = await exchange.draw({ variant: 'another' });
    const [first, second] = [exchange.items.newCallId(), exchange.items.newCallId()];
    const items = [
      await finishedCall(exchange, first),
      await finishedCall(exchange, second, other.base64),
    ];
    await play(exchange, [...opening(exchange), ...ending(exchange, items)]);
  }),
  behaviour('two-images=equal', 'two image calls, twice the same image', async (exchange) => {
    const [first, second] = [exchange.items.newCallId(), exchange.items.newCallId()];
    const items = [await finishedCall(exchange, first), await finishedCall(exchange, second)];
    await play(exchange, [...opening(exchange), ...ending(exchange, items)]);
  }),
  behaviour('two-images=contradiction', 'completed repeats it differently', async (exchange) => {
    const id = exchange.items.newCallId();
    const other = await exchange.draw({ variant: 'another' });
    const done = exchange.events.done(await finishedCall(exchange, id), firstIndex(exchange));
    const last = exchange.events.completed([await finishedCall(exchange, id, other.base64)]);
    await play(exchange, [...opening(exchange), ...drawing(exchange, id), done, last]);
  }),
] as const;

/** What the backend adds to some codes. */
function membersOf(code: string) {
  if (code === 'moderation_blocked') {
    return { moderation_stage: 'output', moderation_categories: ['violence', 'some-new-category'] };
  }
  return code === 'usage_limit_reached' ? { resets_in_seconds: RESET_SECS } : {};
}
