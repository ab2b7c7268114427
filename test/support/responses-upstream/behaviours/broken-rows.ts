import { randomBytes } from 'node:crypto';
import type { WireEvent } from '../wire-types.ts';
import { behaviour } from './behaviour.ts';
import {
  type Answer,
  allOf,
  defaultResponse,
  play,
  sendAll,
  untilCompleted,
  untilItem,
  untilPartials,
} from './default-response.ts';

const GARBAGE_BYTES = 100_000;
/** Long enough for what was sent to have been read: a reset takes back what was not. */
const READ_MS = 100;

/** Streams that end too early, or are none. */
export const BROKEN_ROWS = [
  ended('nothing', 'at once', () => []),
  ended('opening', 'after response.in_progress', ({ opening }) => opening),
  ended('drawing', 'while it draws', ({ opening, drawing }) => [...opening, ...drawing]),
  ended('partial', 'after a partial image', untilPartials),
  ended('item', 'after the finished item', untilCompleted),

  cut('partial', 'after a partial image', (answer) => ({
    before: untilPartials(answer),
  })),
  cut('line', 'in the middle of the image', (answer) => ({
    before: untilItem(answer),
    half: answer.itemDone,
  })),
  cut('item', 'after the finished item', (answer) => ({ before: untilCompleted(answer) })),
  cut('completed', 'in the middle of response.completed', (answer) => ({
    before: untilCompleted(answer),
    half: answer.completed,
  })),

  behaviour('close=before-headers', 'closes without an answer', async (inFlight) => {
    inFlight.cut('close');
  }),
  behaviour('reset=before-headers', 'resets without an answer', async (inFlight) => {
    inFlight.cut('reset');
  }),
  behaviour('reset=after-headers', 'resets after the head', async (inFlight) => {
    inFlight.open();
    await inFlight.wait(READ_MS);
    inFlight.cut('reset');
  }),
  behaviour('reset=line', 'resets in the middle of the image', async (inFlight) => {
    const answer = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, untilItem(answer));
    await stream.raw(firstHalf(stream.spell(answer.itemDone)));
    await inFlight.wait(READ_MS);
    inFlight.cut('reset');
  }),

  behaviour('garbage=bytes', 'random bytes as stream', async (inFlight) => {
    const stream = inFlight.open();
    await stream.raw(randomBytes(GARBAGE_BYTES));
    await stream.end();
  }),
  behaviour('garbage=http', 'bytes that are not even HTTP', async (inFlight) => {
    inFlight.socket().write('this is no answer\r\n\r\n');
    inFlight.cut('close');
  }),
  interrupted('json', 'an event of broken JSON', 'data: {"type":"response.output_item.done",\n\n'),
  interrupted('null', 'an event that is null', 'data: null\n\n'),
  interrupted('text', 'an event that is a word', 'event: keepalive\ndata: alive\n\n'),
  interrupted('no-type', 'an event without a type', 'data: {"sequence_number":7}\n\n'),
  interrupted('shape', 'an item done without an item', itemDone({})),
  interrupted('result', 'a result that is a number', itemDone({ item: imageCall({ result: 1 }) })),
  interrupted('utf8', 'bytes that are no UTF-8', Buffer.from('data: \xFF\xFE\n\n', 'latin1')),
  interrupted('unknown-field', 'a field that SSE does not know', 'shape: round\n\n'),
] as const;

function itemDone(members: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify({ type: 'response.output_item.done', ...members })}\n\n`;
}

function imageCall(members: Readonly<Record<string, unknown>>) {
  return { type: 'image_generation_call', id: 'ig_1', status: 'completed', ...members };
}

/** The stream ends properly, only too early. */
function ended<const Name extends string>(
  name: Name,
  when: string,
  part: (answer: Answer) => readonly WireEvent[],
) {
  return behaviour(`truncated=${name}`, `the stream ends ${when}`, async (inFlight) => {
    await play(inFlight, part(await defaultResponse(inFlight, { leastPartials: 1 })));
  });
}

/** The connection closes inside the body. */
function cut<const Name extends string>(
  name: Name,
  when: string,
  part: (answer: Answer) => { before: readonly WireEvent[]; half?: WireEvent | undefined },
) {
  return behaviour(`cut=${name}`, `the connection closes ${when}`, async (inFlight) => {
    const { before, half } = part(await defaultResponse(inFlight, { leastPartials: 1 }));
    const stream = inFlight.open();
    await sendAll(stream, before);
    if (half) await stream.raw(firstHalf(stream.spell(half)));
    inFlight.cut('close');
  });
}

/** A success with something else in the middle. */
function interrupted<const Name extends string>(name: Name, what: string, bytes: Buffer | string) {
  return behaviour(`garbage=${name}`, `${what}, in the middle of a success`, async (inFlight) => {
    const answer = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, answer.opening);
    await stream.raw(bytes);
    await sendAll(stream, allOf({ ...answer, opening: [] }));
    await stream.end();
  });
}

function firstHalf(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
