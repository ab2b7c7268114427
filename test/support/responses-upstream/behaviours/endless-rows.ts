import type { EventStream } from '../event-stream.ts';
import { behaviour } from './behaviour.ts';
import { generating, opening, sendAll } from './default-response.ts';

const PIECE_BYTES = 65_536;
const PIECE = Buffer.alloc(PIECE_BYTES, 'A');
const LINE_BYTES = 1000;
const DATA_LINES = Buffer.from(`data: ${'A'.repeat(LINE_BYTES)}\n`.repeat(64));

/** Streams without an end: they continue until the client disconnects. */
export const ENDLESS_ROWS = [
  endless('line', 'one line', (stream) => stream.raw(PIECE), 'data: {"partial_image_b64":"'),
  endless('data-lines', 'lines of one event', (stream) => stream.raw(DATA_LINES)),
  endless('events', 'small unknown events', (stream) => stream.aside({ type: 'keepalive' })),
  endless('comments', 'comments', (stream) => stream.comment('still here')),
  endless('blank-lines', 'blank lines', (stream) => stream.raw('\n'.repeat(LINE_BYTES))),
  behaviour('heartbeats', 'a comment at intervals, and nothing else', async (inFlight) => {
    const stream = inFlight.open();
    await sendAll(stream, [
      ...opening(inFlight),
      ...generating(inFlight, inFlight.items.newCallId()),
    ]);
    for (;;) {
      await inFlight.wait(inFlight.settings.heartbeatMs);
      await stream.comment('keep-alive');
    }
  }),
] as const;

function endless<const Name extends string>(
  name: Name,
  what: string,
  write: (stream: EventStream) => Promise<void>,
  beginning = '',
) {
  return behaviour(`endless=${name}`, `${what} without end`, async (inFlight) => {
    const stream = inFlight.open();
    await sendAll(stream, opening(inFlight));
    await stream.raw(beginning);
    for (;;) await write(stream);
  });
}
