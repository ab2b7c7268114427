import { randomBytes } from 'node:crypto';
import type { WireEvent } from '../wire-types.ts';
import { behaviour } from './behaviour.ts';
import {
  allOf,
  defaultResponse,
  play,
  type Reply,
  sendAll,
  untilCompleted,
  untilItem,
  untilPartials,
} from './default-response.ts';

const GARBAGE_BYTES = 100_000;
/** The wait before a reset, long enough for the client to read the bytes: a reset discards unread bytes. */
const READ_MS = 100;

/** Streams that end too early or are corrupt. */
export const BROKEN_ROWS = [
  ended('nothing', 'at once', () => []),
  ended('opening', 'after response.in_progress', ({ opening }) => opening),
  ended('generating', 'while the image is generated', ({ opening, generating }) => [
    ...opening,
    ...generating,
  ]),
  ended('partial', 'after a partial image', untilPartials),
  ended('item', 'after the finished item', untilCompleted),

  cut('partial', 'after a partial image', (reply) => ({
    before: untilPartials(reply),
  })),
  cut('line', 'in the middle of the image', (reply) => ({
    before: untilItem(reply),
    half: reply.itemDone,
  })),
  cut('item', 'after the finished item', (reply) => ({ before: untilCompleted(reply) })),
  cut('completed', 'in the middle of response.completed', (reply) => ({
    before: untilCompleted(reply),
    half: reply.completed,
  })),

  behaviour('close=before-headers', 'closes without a reply', async (inFlight) => {
    await inFlight.cut('close');
  }),
  behaviour('reset=before-headers', 'resets without a reply', async (inFlight) => {
    await inFlight.cut('reset');
  }),
  behaviour('reset=after-headers', 'resets after the head', async (inFlight) => {
    inFlight.open();
    await inFlight.wait(READ_MS);
    await inFlight.cut('reset');
  }),
  behaviour('reset=line', 'resets in the middle of the image', async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, untilItem(reply));
    await stream.raw(firstHalf(stream.encode(reply.itemDone)));
    await inFlight.wait(READ_MS);
    await inFlight.cut('reset');
  }),

  behaviour('garbage=bytes', 'random bytes as stream', async (inFlight) => {
    const stream = inFlight.open();
    await stream.raw(randomBytes(GARBAGE_BYTES));
    await stream.end();
  }),
  behaviour('garbage=http', 'bytes that are not even HTTP', async (inFlight) => {
    inFlight.socket().write('this is no reply\r\n\r\n');
    await inFlight.cut('close');
  }),
  interrupted('json', 'an event of broken JSON', 'data: {"type":"response.output_item.done",\n\n'),
  interrupted('null', 'an event that is null', 'data: null\n\n'),
  interrupted('text', 'an event whose data is a word', 'event: keepalive\ndata: alive\n\n'),
  interrupted('no-type', 'an event without a type', 'data: {"sequence_number":7}\n\n'),
  interrupted('shape', 'an item done without an item', itemDone({})),
  interrupted('result', 'a result that is a number', itemDone({ item: imageCall({ result: 1 }) })),
  interrupted('utf8', 'bytes that are no UTF-8', Buffer.from('data: \xFF\xFE\n\n', 'latin1')),
  interrupted('unknown-field', 'a field that is not part of SSE', 'shape: round\n\n'),
] as const;

function itemDone(members: Readonly<Record<string, unknown>>): string {
  return `data: ${JSON.stringify({ type: 'response.output_item.done', ...members })}\n\n`;
}

function imageCall(members: Readonly<Record<string, unknown>>) {
  return { type: 'image_generation_call', id: 'ig_1', status: 'completed', ...members };
}

/** Ends the stream properly but too early. */
function ended<const Name extends string>(
  name: Name,
  when: string,
  part: (reply: Reply) => readonly WireEvent[],
) {
  return behaviour(`truncated=${name}`, `the stream ends ${when}`, async (inFlight) => {
    await play(inFlight, part(await defaultResponse(inFlight, { leastPartials: 1 })));
  });
}

/** Closes the connection inside the body. */
function cut<const Name extends string>(
  name: Name,
  when: string,
  part: (reply: Reply) => { before: readonly WireEvent[]; half?: WireEvent | undefined },
) {
  return behaviour(`cut=${name}`, `the connection closes ${when}`, async (inFlight) => {
    const { before, half } = part(await defaultResponse(inFlight, { leastPartials: 1 }));
    const stream = inFlight.open();
    await sendAll(stream, before);
    if (half) await stream.raw(firstHalf(stream.encode(half)));
    await inFlight.cut('close');
  });
}

/** Sends a success with other bytes in the middle. */
function interrupted<const Name extends string>(name: Name, what: string, bytes: Buffer | string) {
  return behaviour(`garbage=${name}`, `${what}, in the middle of a success`, async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, reply.opening);
    await stream.raw(bytes);
    await sendAll(stream, allOf({ ...reply, opening: [] }));
    await stream.end();
  });
}

function firstHalf(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
