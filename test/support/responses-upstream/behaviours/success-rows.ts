import { type Framing, PLAIN_FRAMING } from '../../upstream/framing.ts';
import type { StreamChanges } from '../call-in-flight.ts';
import { behaviour } from './behaviour.ts';
import {
  allOf,
  defaultResponse,
  finishedCall,
  play,
  sendAll,
  untilCompleted,
} from './default-response.ts';

const MANY_EVENTS = 100_000;
const DRIP_BYTES = 1024;
const DRIP_MS = 20;

/** Replies with the image, in every form that a client must accept. */
export const SUCCESS_ROWS = [
  behaviour('succeed', 'the requested image', async (inFlight) => {
    await play(inFlight, allOf(await defaultResponse(inFlight)));
  }),
  itemSays('generating'),
  itemSays('completed'),

  behaviour('result-in-completed', 'no item done: response.completed has it', async (inFlight) => {
    const { opening, generating } = await defaultResponse(inFlight);
    const item = await finishedCall(inFlight, inFlight.items.newCallId());
    await play(inFlight, [...opening, ...generating, inFlight.events.completed([item])]);
  }),
  behaviour('completed-empty', 'response.completed repeats no item', async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    await play(inFlight, [...untilCompleted(reply), inFlight.events.completed([])]);
  }),
  behaviour('done-twice', 'the finished item is sent twice', async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    await play(inFlight, [...untilCompleted(reply), reply.itemDone, reply.completed]);
  }),
  behaviour('partials=three', 'three partial images, requested or not', async (inFlight) => {
    await play(inFlight, allOf(await defaultResponse(inFlight, { leastPartials: 3 })));
  }),
  behaviour('partials=late', 'a partial image after the finished one', async (inFlight) => {
    const reply = await defaultResponse(inFlight, { leastPartials: 1 });
    await play(inFlight, [...untilCompleted(reply), ...reply.partials, reply.completed]);
  }),
  behaviour('many-events', `${MANY_EVENTS} small unknown events first`, async (inFlight) => {
    const reply = await defaultResponse(inFlight);
    const stream = inFlight.open();
    await sendAll(stream, reply.opening);
    for (let sent = 0; sent < MANY_EVENTS; sent += 1) await stream.aside({ type: 'keepalive' });
    await sendAll(stream, allOf({ ...reply, opening: [] }));
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
  spelled('wire=gzip', 'compressed, although not requested', { isCompressed: true }),
  spelled('wire=bare', 'no heartbeats, no unknown events', { hasExtras: false }),
  spelled('drip', `${DRIP_BYTES} bytes every ${DRIP_MS} ms`, {
    chunks: DRIP_BYTES,
    chunkPauseMs: DRIP_MS,
  }),
] as const;

function spelled<const Name extends string>(name: Name, how: string, changes: StreamChanges) {
  return behaviour(name, `succeeds: ${how}`, async (inFlight) => {
    const settings = { ...inFlight.settings, ...changes };
    await play(inFlight, allOf(await defaultResponse({ ...inFlight, settings })), changes);
  });
}

function framed(changes: Partial<Framing>): StreamChanges {
  return { framing: { ...PLAIN_FRAMING, ...changes } };
}

function itemSays<const Status extends 'generating' | 'completed'>(status: Status) {
  const name = `item=${status}` as const;
  return behaviour(name, `the finished item says ${status}`, async (inFlight) => {
    const settings = { ...inFlight.settings, itemStatus: status };
    await play(inFlight, allOf(await defaultResponse({ ...inFlight, settings })));
  });
}
