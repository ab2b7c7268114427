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

/** Replies that send nothing for `silenceMs` and then continue. */
export const SILENCE_ROWS = [
  behaviour('silence=before-headers', 'nothing at all for a while', async (inFlight) => {
    await inFlight.silence();
    await play(inFlight, allOf(await defaultResponse(inFlight)));
  }),
  silent('after-headers', 'after the head', () => []),
  silent('generating', 'once the image is generated', ({ opening, generating }) => [
    ...opening,
    ...generating,
  ]),
  silent('partial', 'after a partial image', untilPartials),
  silent('item', 'after the finished item', untilCompleted),
  silent('end', 'after response.completed, before the stream ends', allOf),
  behaviour('silence=line', 'nothing for a while in the middle of the image', async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, untilItem(reply));
    const bytes = stream.encode(reply.itemDone);
    const middle = Math.floor(bytes.length / 2);
    await stream.raw(bytes.subarray(0, middle));
    await inFlight.silence();
    await stream.raw(bytes.subarray(middle));
    await stream.send(reply.completed);
    await stream.end();
  }),
] as const;

function silent<const Name extends string>(
  name: Name,
  when: string,
  before: (reply: Reply) => readonly WireEvent[],
) {
  return behaviour(`silence=${name}`, `nothing for a while ${when}`, async (inFlight) => {
    const reply = await defaultResponse(inFlight, { leastPartials: name === 'partial' ? 1 : 0 });
    const first = before(reply);
    const stream = inFlight.open();
    await sendAll(stream, first);
    await inFlight.silence();
    await sendAll(stream, allOf(reply).slice(first.length));
    await stream.end();
  });
}
