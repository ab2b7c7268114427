import type { StreamChanges } from '../exchange.ts';
import { type Framing, PLAIN_FRAMING } from '../settings.ts';
import { behaviour } from './behaviour.ts';
import { allOf, finishedCall, play, sendAll, untilCompleted, usualAnswer } from './usual-answer.ts';

const MANY_EVENTS = 100_000;
const DRIP_BYTES = 1024;
const DRIP_MS = 20;

/** Answers that hold the image, in every form that a client has to understand. */
export const SUCCESS_ROWS = [
  behaviour('succeed', 'the image that was asked for', async (exchange) => {
    await play(exchange, allOf(await usualAnswer(exchange)));
  }),
  itemSays('generating'),
  itemSays('completed'),

  behaviour('result-in-completed', 'no item done: response.completed has it', async (exchange) => {
    const { opening, drawing } = await usualAnswer(exchange);
    const item = await finishedCall(exchange, exchange.items.newCallId());
    await play(exchange, [...opening, ...drawing, exchange.events.completed([item])]);
  }),
  behaviour('completed-empty', 'response.completed repeats no item', async (exchange) => {
    const answer = await usualAnswer(exchange);
    await play(exchange, [...untilCompleted(answer), exchange.events.completed([])]);
  }),
  behaviour('done-twice', 'the finished item is told twice', async (exchange) => {
    const answer = await usualAnswer(exchange);
    await play(exchange, [...untilCompleted(answer), answer.itemDone, answer.completed]);
  }),
  behaviour('partials=three', 'three partial images, asked for or not', async (exchange) => {
    await play(exchange, allOf(await usualAnswer(exchange, { leastPartials: 3 })));
  }),
  behaviour('partials=late', 'a partial image after the finished one', async (exchange) => {
    const answer = await usualAnswer(exchange, { leastPartials: 1 });
    await play(exchange, [...untilCompleted(answer), ...answer.partials, answer.completed]);
  }),
  behaviour('many-events', `${MANY_EVENTS} small unknown events first`, async (exchange) => {
    const answer = await usualAnswer(exchange);
    const stream = exchange.open();
    await sendAll(stream, answer.opening);
    for (let sent = 0; sent < MANY_EVENTS; sent += 1) await stream.aside({ type: 'keepalive' });
    await sendAll(stream, allOf({ ...answer, opening: [] }));
    await stream.end();
  }),

  spelled('wire=crlf', 'lines end with CR and LF', framed({ lineEnd: '\r\n' })),
  spelled('wire=cr', 'lines end with CR', framed({ lineEnd: '\r' })),
  spelled('wire=no-event-lines', 'data lines only', framed({ hasEventLines: false })),
  spelled('wire=no-space', 'no space after the colons', framed({ hasSpace: false })),
  spelled('wire=many-data-lines', 'JSON over many lines', framed({ hasManyDataLines: true })),
  spelled('wire=bom', 'a byte order mark first', framed({ beginsWithBom: true })),
  spelled('wire=done', 'a [DONE] at the end', framed({ endsWithDone: true })),
  spelled('wire=no-content-type', 'no content type', { hasContentType: false }),
  spelled('wire=one-byte', 'one byte at a time', { chunks: 1 }),
  spelled('wire=random', 'pieces of 1 to 1000 bytes', { chunks: { seed: 1, maxBytes: 1000 } }),
  spelled('wire=gzip', 'compressed, which nobody asked for', { isCompressed: true }),
  spelled('wire=bare', 'no heartbeats, no unknown events', { hasExtras: false }),
  spelled('drip', `${DRIP_BYTES} bytes every ${DRIP_MS} ms`, {
    chunks: DRIP_BYTES,
    chunkPauseMs: DRIP_MS,
  }),
] as const;

function spelled<const Name extends string>(name: Name, how: string, changes: StreamChanges) {
  return behaviour(name, `succeeds: ${how}`, async (exchange) => {
    const settings = { ...exchange.settings, ...changes };
    await play(exchange, allOf(await usualAnswer({ ...exchange, settings })), changes);
  });
}

function framed(changes: Partial<Framing>): StreamChanges {
  return { framing: { ...PLAIN_FRAMING, ...changes } };
}

function itemSays<const Status extends 'generating' | 'completed'>(status: Status) {
  const name = `item=${status}` as const;
  return behaviour(name, `the finished item says ${status}`, async (exchange) => {
    const settings = { ...exchange.settings, itemStatus: status };
    await play(exchange, allOf(await usualAnswer({ ...exchange, settings })));
  });
}
