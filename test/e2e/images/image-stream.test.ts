import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_BALANCED } from '../../support/drivers.ts';
import { parseEventText, type TextEvent } from '../../support/event-text.ts';
import { openSocket } from '../../support/raw-http.ts';
import { createReplyChecker } from '../../support/reply-checker.ts';
import { cleanUp, type StartedBridge, startBridge, stateOf } from '../../support/start-bridge.ts';

const PATH = '/v1/images/stream';
const JSON_TYPE = { 'content-type': 'application/json' };
const asArtifact = { output: { response_format: 'artifact' } };

// One bridge that replies at once, and a slow bridge with one slot and a queue of one.
let bridge: StartedBridge;
let slow: StartedBridge;
let checker: ReturnType<typeof createReplyChecker>;

beforeAll(async () => {
  [bridge, slow] = await Promise.all([
    startBridge(),
    startBridge({
      set: [
        ...['runtime.global.max_concurrent=1', 'runtime.global.max_queued=1'],
        ...['runtime.cancellation_grace_ms=50', 'server.write_timeout_ms=100'],
        'providers.sandbox.latency_ms=1500',
      ],
    }),
  ]);
  const document = await (await fetch(`${bridge.address}/v1/openapi.json`)).json();
  checker = createReplyChecker(document as Record<string, unknown>);
});
afterAll(cleanUp);

interface Streamed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly TextEvent[];
  readonly text: string;
}

/** Reads a stream to its end and checks it against the OpenAPI document. */
async function stream(
  body: object,
  headers: Record<string, string> = {},
  { address } = bridge,
): Promise<Streamed> {
  const response = await fetch(address + PATH, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ prompt: 'a fox', ...body }),
  });
  const text = await response.text();
  const { status } = response;
  const head = Object.fromEntries(response.headers);
  checker.check({ method: 'POST', path: PATH }, status, head, text);
  const isStream = head['content-type'] === 'text/event-stream';
  return { status, headers: head, text, events: isStream ? parseEventText(text).events : [] };
}

interface Watcher {
  text(): string;
  hasEnded(): boolean;
  disconnect(): void;
}

/** A client that reads the stream and can disconnect. */
async function watch(
  { port }: StartedBridge,
  body: object,
  headers: Record<string, string> = {},
): Promise<Watcher> {
  let text = '';
  let hasEnded = false;
  const client = request({
    port,
    path: PATH,
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
  });
  client.on('error', () => {});
  client.on('response', (reply) => {
    reply.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    reply.on('end', () => {
      hasEnded = true;
    });
    reply.on('error', () => {});
  });
  client.end(JSON.stringify({ prompt: 'a fox', ...body }));
  return { text: () => text, hasEnded: () => hasEnded, disconnect: () => client.destroy() };
}

async function busy({ address }: StartedBridge): Promise<{ active: number; queued: number }> {
  const { runtime } = (await (await fetch(`${address}/v1/diagnostics`)).json()) as {
    runtime: { global: { active: number; queued: number } };
  };
  const { active, queued } = runtime.global;
  return { active, queued };
}

const untilBusy = (active: number, queued: number) =>
  expect.poll(() => busy(slow), { timeout: 10_000 }).toEqual({ active, queued });
const untilIdle = () => untilBusy(0, 0);

const filesOf = ({ cwd }: StartedBridge) => stateOf(cwd).listArtifacts();

const namesOf = (events: readonly TextEvent[]) =>
  events.map(({ name, data }) => (name === 'progress' ? data.stage : name));

describe('POST /v1/images/stream', () => {
  it('reports the progress of each image, sends partial images, and ends with all of them', async () => {
    const parameters = { n: 2, partial_images: 2, size: '256x256' };

    const { status, headers, events } = await stream({ parameters });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    const names = namesOf(events);
    expect(names.slice(0, 4)).toEqual(['started', 'queued', 'preparing', 'dispatched']);
    expect(names.slice(-2)).toEqual(['publishing', 'completed']);
    expect(events[0]?.data.request_id).toBe(headers['x-request-id']);
    const partials = events.filter(({ name }) => name === 'partial_image').map(({ data }) => data);
    expect(partials.map(({ index, partial_index }) => `${index}.${partial_index}`).sort()).toEqual([
      ...['0.0', '0.1', '1.0', '1.1'],
    ]);
    for (const { b64_json, format, width, height } of partials) {
      const seen = await sharp(Buffer.from(b64_json, 'base64')).metadata();
      expect({ format, width, height }).toEqual({
        format: seen.format,
        width: seen.width,
        height: seen.height,
      });
    }
    expect(events.at(-1)?.data.response.data).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  it('reports a file only after its publication', async () => {
    const watcher = await watch(bridge, { ...asArtifact, parameters: { size: '64x64' } });
    await expect.poll(() => watcher.text()).toMatch(/event: completed\ndata: .*\n\n/);

    const [image] = parseEventText(watcher.text()).events.at(-1)?.data.response.data ?? [];
    const file = await fetch(`${bridge.address}/v1/artifacts/${image.id}`);

    const onDisk = await readFile(join(stateOf(bridge.cwd).artifacts, image.name));
    expect(onDisk.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  it.each<[string, object, number, string]>([
    ['a bad field', { parameters: { n: 0 } }, 422, 'invalid_request'],
    ['an unknown model', { routing: { model: 'unheard-of' } }, 400, 'unsupported_capability'],
    [
      'a mask that the model does not support',
      {
        operation: 'edit',
        routing: { model: 'sandbox-basic' },
        images: [{ type: 'base64', data: 'AAAA' }],
        mask: { type: 'base64', data: 'AAAA' },
      },
      400,
      'unsupported_capability',
    ],
    [
      'an invalid image',
      { operation: 'edit', images: [{ type: 'base64', data: 'AAAA' }] },
      400,
      'invalid_image_input',
    ],
  ])('rejects %s with a plain reply', async (_name, body, status, code) => {
    const reply = await stream(body);

    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code } });
    expect(reply.headers['x-should-retry']).toBe('false');
  });

  it('ends with the error of the provider if the provider fails', async () => {
    const { status, events } = await stream({ routing: { model: 'sandbox-fail-rate_limited' } });

    expect(status).toBe(200);
    expect(events[0]?.name).toBe('started');
    expect(events.at(-1)).toMatchObject({
      name: 'error',
      data: { error: { code: 'rate_limit_exceeded', bridge_ext: { retryable: true } } },
    });
  });

  it.skipIf(IS_BALANCED)(
    'is rejected with a plain reply if the circuit breaker of its provider is open',
    async () => {
      const fragile = await startBridge({
        set: [
          'runtime.circuit_breakers.sandbox.enabled=true',
          'runtime.circuit_breakers.sandbox.failure_threshold=1',
        ],
      });
      await stream({ routing: { model: 'sandbox-fail-upstream' } }, {}, fragile);

      const { status, text } = await stream({}, {}, fragile);

      expect(status).toBe(503);
      expect(JSON.parse(text).error.bridge_ext.details.reason).toBe('circuit_open');
    },
  );
});

describe('POST /v1/images/stream: idempotency', () => {
  it('replays only the first and the last event of a stream', async () => {
    const headers = { 'idempotency-key': 'replay' };
    const first = await stream({}, headers);

    const second = await stream({}, headers);

    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(namesOf(second.events)).toEqual(['started', 'completed']);
    expect(second.events[1]?.data).toEqual(first.events.at(-1)?.data);
    expect(second.events[0]?.data.request_id).toBe(second.headers['x-request-id']);
  });

  it('runs two streams under one key once, and sends both the end', async () => {
    const headers = { 'idempotency-key': 'two-readers' };
    const both = () => stream({}, headers, slow);

    const [one, other] = await Promise.all([both(), both()]);

    expect(one.events.at(-1)?.data).toEqual(other.events.at(-1)?.data);
    const replayed = [one, other].filter((each) => each.headers['idempotent-replayed']);
    expect(replayed.map(({ events }) => namesOf(events))).toEqual([['started', 'completed']]);
  });

  it('keeps the outcome for a repeated request after the client has disconnected', async () => {
    const headers = { 'idempotency-key': 'left' };
    const watcher = await watch(slow, {}, headers);
    await expect.poll(() => watcher.text()).toContain('"dispatched"');
    watcher.disconnect();

    const { events, headers: replayHeaders } = await stream({}, headers, slow);

    expect(replayHeaders['idempotent-replayed']).toBe('true');
    expect(namesOf(events)).toEqual(['started', 'completed']);
  });
});

describe('POST /v1/images/stream: a client that disconnects', () => {
  const hanging = { ...asArtifact, routing: { model: 'sandbox-hang' } };

  it('leaves no file if it disconnects before the first event', async () => {
    const body = JSON.stringify({ prompt: 'a fox', ...asArtifact });
    const head = ['POST /v1/images/stream HTTP/1.1', 'Host: localhost'];
    const socket = await openSocket(slow.port);

    socket.end(
      [
        ...head,
        ...['Content-Type: application/json', `Content-Length: ${body.length}`],
        '',
        body,
      ].join('\r\n'),
    );
    socket.resetAndDestroy();

    await untilIdle();
  });

  it.skipIf(IS_BALANCED)(
    'frees its place if it disconnects while it waits in the queue',
    async () => {
      const first = await watch(slow, hanging);
      await untilBusy(1, 0);
      const second = await watch(slow, hanging);
      await expect.poll(() => second.text()).toContain('event: started');
      await untilBusy(1, 1);

      second.disconnect();
      await untilBusy(1, 0);
      first.disconnect();

      await untilIdle();
      expect(await filesOf(slow)).toEqual([]);
    },
  );

  it.skipIf(IS_BALANCED)('is rejected with a plain reply if the queue is full', async () => {
    const first = await watch(slow, hanging);
    await untilBusy(1, 0);
    const second = await watch(slow, hanging);
    await untilBusy(1, 1);

    const { status, headers } = await stream(hanging, {}, slow);

    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('1');
    first.disconnect();
    second.disconnect();
    await untilIdle();
  });

  it('ends the run, which leaves no file, if it disconnects during partial images', async () => {
    const parameters = { partial_images: 3, size: '64x64' };
    const watcher = await watch(slow, { ...asArtifact, parameters });
    await expect.poll(() => watcher.text()).toContain('event: partial_image');

    watcher.disconnect();

    await untilIdle();
    expect(await filesOf(slow)).toEqual([]);
  });

  it('can read its stored image if it disconnects after the end', async () => {
    const watcher = await watch(slow, { ...asArtifact, parameters: { size: '64x64' } });
    await expect.poll(() => watcher.hasEnded()).toBe(true);

    watcher.disconnect();

    await untilIdle();
    const [image] = parseEventText(watcher.text()).events.at(-1)?.data.response.data ?? [];
    expect(await filesOf(slow)).toContain(image.name);
  });
});

describe('POST /v1/images/stream: a bridge that stops', () => {
  it('finishes the stream within the grace period', async () => {
    const stopping = await startBridge({ set: ['providers.sandbox.latency_ms=500'] });
    const watcher = await watch(stopping, { parameters: { size: '64x64' } });
    await expect.poll(() => watcher.text()).toContain('"dispatched"');

    const { code } = await stopping.end('SIGTERM');

    expect(code).toBe(0);
    await expect.poll(() => watcher.hasEnded()).toBe(true);
    expect(parseEventText(watcher.text()).events.at(-1)?.name).toBe('completed');
  });

  it.each([
    ['without a key', {}],
    ['under a key', { 'idempotency-key': 'stop' }],
  ])('ends a stream %s that exceeds the grace period with an error', async (_name, headers) => {
    const stopping = await startBridge({
      set: ['runtime.shutdown_grace_ms=100', 'runtime.cancellation_grace_ms=50'],
    });
    const watcher = await watch(stopping, { routing: { model: 'sandbox-hang' } }, headers);
    await expect.poll(() => watcher.text()).toContain('"dispatched"');

    const { code } = await stopping.end('SIGTERM');

    expect(code).toBe(0);
    await expect.poll(() => watcher.hasEnded()).toBe(true);
    expect(parseEventText(watcher.text()).events.at(-1)).toMatchObject({
      name: 'error',
      data: { error: { code: 'cancelled', bridge_ext: { retryable: false } } },
    });
  });
});
