import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../../lib/errors/bridge-error.ts';
import { openEventStream, type StreamItem } from '../../../../lib/http/reply/event-stream.ts';
import { ByteParts } from '../../../../lib/platform/byte-parts.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { parseEventText } from '../../../support/event-text.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const MIB = 1024 * 1024;

const REMOVED = { type: 'removed', id: 'job' };

/** Creates events that a test sends one by one, and counts the requested events. */
function createSource() {
  const sent: StreamItem[] = [];
  const source = { asked: 0, isClosed: false, send, end, fail };
  let failure: Error | undefined;
  let isOver = false;
  let wake = () => {};

  function send(event: StreamItem & Record<string, unknown>): void {
    sent.push(event);
    wake();
  }
  function end(): void {
    isOver = true;
    wake();
  }
  function fail(error: Error): void {
    failure = error;
    wake();
  }
  async function* read(): AsyncGenerator<StreamItem> {
    try {
      for (;;) {
        source.asked += 1;
        while (sent.length === 0 && !isOver && !failure) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const event = sent.shift();
        if (event) yield event;
        else if (failure) throw failure;
        else return;
      }
    } finally {
      source.isClosed = true;
    }
  }
  return Object.assign(source, { events: { [Symbol.asyncIterator]: read } });
}

function open() {
  const clock = createManualClock();
  const source = createSource();
  const deps = { clock, ids: createIds(clock.nowMs), requestId: 'r1' };
  const opening = openEventStream(source.events, deps);
  opening.catch(() => {});
  return { clock, source, opening };
}

/** Reads a body without pauses. */
function readFrom(body: AsyncIterable<Uint8Array>) {
  const read = { text: '', pieces: 0, hasEnded: false };
  const reading = (async () => {
    for await (const piece of body) {
      read.text += Buffer.from(piece).toString('utf8');
      read.pieces += 1;
    }
    read.hasEnded = true;
  })();
  return Object.assign(read, { reading });
}

describe('openEventStream', () => {
  it('writes the name of each event and one line of JSON', async () => {
    const { source, opening } = open();
    source.send({ type: 'started', text: 'a\nb\r\n\u2028\0ü' });
    source.send({ type: 'progress', index: 0 });
    source.end();

    const read = readFrom(await opening);
    await read.reading;

    expect(read.text).toBe(
      'event: started\ndata: {"type":"started","text":"a\\nb\\r\\n\u2028\\u0000ü"}\n\n' +
        'event: progress\ndata: {"type":"progress","index":0}\n\n',
    );
  });

  it('writes the id of an event, and an id without an event', async () => {
    const { source, opening } = open();
    source.send({ id: 'a' });
    source.send({ id: 'b', event: REMOVED });
    source.end();

    const read = readFrom(await opening);
    await read.reading;

    expect(read.text).toBe(
      ': open\nid: a\n\nid: b\nevent: removed\ndata: {"type":"removed","id":"job"}\n\n',
    );
  });

  it('writes bytes as base64, a short event in one piece', async () => {
    const { source, opening } = open();
    const bytes = Buffer.alloc(MIB / 4).map((_, index) => index % 251) as Buffer;
    source.send({ type: 'partial_image', b64_json: new ByteParts([bytes]), after: 1 });
    source.end();

    const read = readFrom(await opening);
    await read.reading;

    const [event] = parseEventText(read.text).events;
    expect(event?.data.b64_json === bytes.toString('base64')).toBe(true);
    expect(event?.data).toMatchObject({ type: 'partial_image', after: 1 });
    expect(read.pieces).toBe(1);
  });

  it('writes a long event in pieces', async () => {
    const { source, opening } = open();
    source.send({ type: 'completed', b64_json: new ByteParts([Buffer.alloc(9 * MIB)]) });
    source.end();

    const read = readFrom(await opening);
    await read.reading;

    expect(parseEventText(read.text).events[0]?.data.b64_json).toHaveLength(12 * MIB);
    expect(read.pieces).toBeGreaterThan(2);
  });

  it('rejects if the events fail before the first event', async () => {
    const { source, opening } = open();
    const refusal = new BridgeError('overloaded', 'the queue is full');

    source.fail(refusal);

    await expect(opening).rejects.toBe(refusal);
  });

  it('ends with the error of the HTTP reply if the events fail later', async () => {
    const { source, opening } = open();
    source.send({ type: 'started' });
    const read = readFrom(await opening);

    source.fail(new BridgeError('rate_limited', 'too many', { details: { retry_after_ms: 5 } }));
    await read.reading;

    expect(parseEventText(read.text).events).toMatchObject([
      { name: 'started' },
      {
        name: 'error',
        data: {
          type: 'error',
          error: { code: 'rate_limit_exceeded', bridge_ext: { details: { retry_after_ms: 5 } } },
          request_id: 'r1',
        },
      },
    ]);
  });

  it('does not reveal the text of an unexpected error', async () => {
    const { source, opening } = open();
    source.send({ type: 'started' });
    const read = readFrom(await opening);

    source.fail(new Error('/secret/path'));
    await read.reading;

    expect(parseEventText(read.text).events.at(-1)?.data.error.code).toBe('internal_error');
    expect(read.text).not.toContain('secret');
  });

  it('sends a heartbeat every 15 s without an event', async () => {
    const { clock, source, opening } = open();
    source.send({ type: 'started' });
    const read = readFrom(await opening);

    await clock.advance(14_999);
    const before = parseEventText(read.text).comments;
    await clock.advance(30_001);
    source.send({ type: 'progress' });
    await clock.advance(14_999);

    expect(before).toEqual([]);
    const { events, comments } = parseEventText(read.text);
    expect(comments).toEqual(['heartbeat', 'heartbeat', 'heartbeat']);
    expect(events.at(-1)?.name).toBe('progress');
  });

  it('starts with a heartbeat if the first event is slow, and reports a later failure as an event', async () => {
    const { clock, source, opening } = open();
    await clock.advance(15_000);
    const read = readFrom(await opening);
    await clock.advance(0);
    const begun = read.text;

    source.fail(new BridgeError('overloaded', 'the queue is full'));
    await read.reading;

    expect(begun).toBe(': heartbeat\n\n');
    expect(parseEventText(read.text).events.map(({ name }) => name)).toEqual(['error']);
  });

  it('requests no event and sends no heartbeat for a reader that does not read', async () => {
    const { clock, source, opening } = open();
    for (let index = 0; index < 9; index += 1) source.send({ type: 'progress', index });
    const body = (await opening)[Symbol.asyncIterator]();
    await body.next();

    await clock.advance(10 * 60_000);

    expect(source.asked).toBe(1);
    expect(clock.waiting).toBe(0);
    const { value } = await body.next();
    expect(Buffer.from(value).toString()).toContain('"index":1');
  });

  it('closes its source if the reader stops', async () => {
    const { clock, source, opening } = open();
    source.send({ type: 'started' });
    const body = (await opening)[Symbol.asyncIterator]();
    await body.next();

    await body.return?.();

    expect(source.isClosed).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it('leaves no timer after its end', async () => {
    const { clock, source, opening } = open();
    source.send({ type: 'started' });
    source.end();

    await readFrom(await opening).reading;

    expect(clock.waiting).toBe(0);
  });
});
