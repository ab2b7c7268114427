import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../lib/contract/request/request-context.ts';
import type { StreamedEvent } from '../../../lib/http/reply/event-stream.ts';
import { parseEventText } from '../../support/event-text.ts';
import { openSocket } from '../../support/raw-http.ts';
import { startListener, stopListeners } from './listener-rig.ts';

const MIB = 1024 * 1024;
const BODY = '{"prompt":"a fox"}';
const POST = `${[
  'POST /v1/images/stream HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
].join('\r\n')}\r\n\r\n${BODY}`;

afterEach(stopListeners);

type Events = (signal: AbortSignal) => AsyncGenerator<StreamedEvent>;

/** Starts a listener with one stream of the given events. */
async function start(events: Events, settings: object = {}) {
  const signals: AbortSignal[] = [];
  const stream = async (_body: unknown, context: RequestContext) => {
    const signal = context.signal();
    signals.push(signal);
    return { value: events(signal), replayed: false };
  };
  const started = await startListener({ services: { imageRequests: { stream } }, settings });
  return { ...started, signals };
}

/** Connects a client, sends a request and collects everything that the client receives. */
async function connect(port: number, request = POST) {
  const socket = await openSocket(port);
  const client = { socket, text: '', isClosed: false };
  socket.on('data', (chunk: Buffer) => {
    client.text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('end', () => socket.destroy());
  socket.on('close', () => {
    client.isClosed = true;
  });
  socket.write(request);
  return client;
}

/** Returns the events of a chunked reply that have been received so far. */
function eventsIn(text: string): string[] {
  const body = text.slice(text.indexOf('\r\n\r\n') + 4);
  const chunks = body.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n(?:\r\n)?/g, '').trimEnd();
  return parseEventText(`${chunks}\n\n`).events.map(({ name }) => name);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

async function* oneThenWait(signal: AbortSignal): AsyncGenerator<StreamedEvent> {
  yield { type: 'started' };
  await untilAborted(signal);
}

/** Yields events of one megabyte without end, and counts the requested events. */
function endless() {
  const sent = { count: 0 };
  const events: Events = async function* (signal) {
    while (!signal.aborted) {
      sent.count += 1;
      yield Object.assign({ type: 'partial_image' }, { b64_json: new Uint8Array(MIB) });
    }
    throw signal.reason;
  };
  return { sent, events };
}

/** Connects a client that sends its request and reads nothing. */
async function connectDeaf(port: number): Promise<Socket> {
  const socket = await openSocket(port);
  socket.pause();
  socket.on('error', () => {});
  socket.write(POST);
  return socket;
}

describe('createListener, event streams', () => {
  it('sends the head with the first event, and each event when it occurs', async () => {
    let next = () => {};
    const turn = new Promise<void>((resolve) => {
      next = resolve;
    });
    const { port } = await start(async function* () {
      yield { type: 'started' };
      await turn;
      yield { type: 'completed' };
    });

    const client = await connect(port);
    await expect.poll(() => client.text).toContain('event: started');
    const before = eventsIn(client.text);
    next();
    await expect.poll(() => client.text).toContain('\r\n0\r\n\r\n');

    expect(client.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(before).toEqual(['started']);
    expect(eventsIn(client.text)).toEqual(['started', 'completed']);
    client.socket.destroy();
  });

  it('sends the events of a request whose unused body arrives after the head of the reply', async () => {
    const ofScope = async () =>
      (async function* () {
        yield { type: 'removed' };
      })();
    const { port } = await startListener({ services: { jobStreams: { ofScope } } });
    const head = 'GET /v1/jobs/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n';

    const client = await connect(port, head);
    await expect.poll(() => client.text).toContain('HTTP/1.1 200 OK');
    client.socket.write('{}');
    await expect.poll(() => client.isClosed).toBe(true);

    expect(eventsIn(client.text)).toEqual(['removed']);
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])(
    'rejects %s with the methods of the path',
    async (method) => {
      const { port } = await start(oneThenWait);

      const reply = await fetch(`http://127.0.0.1:${port}/v1/images/stream`, { method });

      expect(reply.status).toBe(405);
      expect(reply.headers.get('allow')).toBe('POST');
    },
  );

  it('aborts the signal of the handler when its client disconnects', async () => {
    const { port, signals } = await start(oneThenWait);
    const client = await connect(port);
    await expect.poll(() => client.text).toContain('event: started');

    client.socket.destroy();

    await expect.poll(() => signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ code: 'cancelled' });
  });

  it('requests no more events than its client reads, disconnects a client that stops reading, and aborts the handler', async () => {
    const { sent, events } = endless();
    const { port, signals } = await start(events, { write_timeout_ms: 50 });

    await connectDeaf(port);

    await expect.poll(() => signals[0]?.aborted).toBe(true);
    // The kernel buffers a few megabytes first.
    expect(sent.count).toBeLessThan(30);
  });

  it('allows a stream to be silent for longer than the read and write time-outs', async () => {
    const { port, signals } = await start(
      async function* () {
        yield { type: 'started' };
        // Several of the listener's time-outs pass.
        await new Promise((resolve) => setTimeout(resolve, 200));
        yield { type: 'completed' };
      },
      { write_timeout_ms: 30, read_timeout_ms: 30 },
    );

    const client = await connect(port);

    await expect.poll(() => client.text).toContain('event: completed');
    expect(signals[0]?.aborted).toBe(false);
    client.socket.destroy();
  });

  it('waits for a stream that ends within the grace period, and closes its connection', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { port, listener } = await start(async function* () {
      yield { type: 'started' };
      await finished;
      yield { type: 'completed' };
    });
    const client = await connect(port);
    await expect.poll(() => client.text).toContain('event: started');

    const stopping = listener.stop(60_000);
    finish();
    await stopping;

    await expect.poll(() => client.isClosed).toBe(true);
    expect(eventsIn(client.text)).toEqual(['started', 'completed']);
  });

  it('ends a stream that outlasts the grace period with an error, and closes its connection', async () => {
    const { port, listener } = await start(oneThenWait);
    const client = await connect(port);
    await expect.poll(() => client.text).toContain('event: started');

    await listener.stop(20);

    await expect.poll(() => client.isClosed).toBe(true);
    expect(eventsIn(client.text)).toEqual(['started', 'error']);
    expect(client.text).toContain('"code":"cancelled"');
  });

  it('waits one second for a client that reads nothing after the grace period', async () => {
    const { sent, events } = endless();
    const { port, listener } = await start(events);
    const client = await connectDeaf(port);
    await expect.poll(() => sent.count).toBeGreaterThan(0);

    await expect(listener.stop(20)).resolves.toBeUndefined();

    client.destroy();
  });
});
