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

/** Answers that stop for a while (`silenceMs`) and then go on as if nothing had been. */
export const SILENCE_ROWS = [
  behaviour('silence=before-headers', 'nothing at all for a while', async (inFlight) => {
    await inFlight.silence();
    await play(inFlight, allOf(await defaultResponse(inFlight)));
  }),
  silent('after-headers', 'after the head', () => []),
  silent('drawing', 'once it draws', ({ opening, drawing }) => [...opening, ...drawing]),
  silent('partial', 'after a partial image', untilPartials),
  silent('item', 'after the finished item', untilCompleted),
  silent('end', 'after response.completed, before the stream ends', allOf),
  behaviour('silence=line', 'nothing for a while in the middle of the image', async (inFlight) => {
    const answer = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, untilItem(answer));
    const bytes = stream.spell(answer.itemDone);
    const middle = Math.floor(bytes.length / 2);
    await stream.raw(bytes.subarray(0, middle));
    await inFlight.silence();
    await stream.raw(bytes.subarray(middle));
    await stream.send(answer.completed);
    await stream.end();
  }),
] as const;

function silent<const Name extends string>(
  name: Name,
  when: string,
  before: (answer: Answer) => readonly WireEvent[],
) {
  return behaviour(`silence=${name}`, `nothing for a while ${when}`, async (inFlight) => {
    const answer = await defaultResponse(inFlight, { leastPartials: name === 'partial' ? 1 : 0 });
    const first = before(answer);
    const stream = inFlight.open();
    await sendAll(stream, first);
    await inFlight.silence();
    await sendAll(stream, allOf(answer).slice(first.length));
    await stream.end();
  });
}
