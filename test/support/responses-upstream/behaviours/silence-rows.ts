import type { WireEvent } from '../wire-types.ts';
import { behaviour } from './behaviour.ts';
import {
  type Answer,
  allOf,
  play,
  sendAll,
  untilCompleted,
  untilItem,
  untilPartials,
  usualAnswer,
} from './usual-answer.ts';

/** Answers that stop for a while (`silenceMs`) and then go on as if nothing had been. */
export const SILENCE_ROWS = [
  behaviour('silence=before-headers', 'nothing at all for a while', async (exchange) => {
    await exchange.silence();
    await play(exchange, allOf(await usualAnswer(exchange)));
  }),
  silent('after-headers', 'after the head', () => []),
  silent('drawing', 'once it draws', ({ opening, drawing }) => [...opening, ...drawing]),
  silent('partial', 'after a partial image', untilPartials),
  silent('item', 'after the finished item', untilCompleted),
  silent('end', 'after response.completed, before the stream ends', allOf),
  behaviour('silence=line', 'nothing for a while in the middle of the image', async (exchange) => {
    const answer = await usualAnswer(exchange);
    const stream = exchange.open();
    await sendAll(stream, untilItem(answer));
    const bytes = stream.spell(answer.itemDone);
    const middle = Math.floor(bytes.length / 2);
    await stream.raw(bytes.subarray(0, middle));
    await exchange.silence();
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
  return behaviour(`silence=${name}`, `nothing for a while ${when}`, async (exchange) => {
    const answer = await usualAnswer(exchange, { leastPartials: name === 'partial' ? 1 : 0 });
    const first = before(answer);
    const stream = exchange.open();
    await sendAll(stream, first);
    await exchange.silence();
    await sendAll(stream, allOf(answer).slice(first.length));
    await stream.end();
  });
}
