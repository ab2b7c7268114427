import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Diagnostics } from '../../../lib/contract/resources/diagnostics.ts';
import { IS_BALANCED } from '../../support/drivers.ts';
import { openSocket } from '../../support/raw-http.ts';
import { cleanUp, type StartedBridge, startBridge } from '../../support/start-bridge.ts';

const generated = (bridge: StartedBridge) =>
  bridge.stderr().split('"image_operation_started"').length - 1;

// One bridge that replies at once, and one that is slow enough for its clients to disconnect.
let bridge: StartedBridge;
let slow: StartedBridge;

beforeAll(async () => {
  [bridge, slow] = await Promise.all([
    startBridge(),
    startBridge({ set: ['providers.sandbox.latency_ms=1500'] }),
  ]);
});
afterAll(cleanUp);

const post = (body: object, headers: Record<string, string>) => postTo(bridge, body, headers);

async function postTo(
  { address }: StartedBridge,
  body: object,
  headers: Record<string, string>,
  signal?: AbortSignal,
) {
  const response = await fetch(`${address}/v1/images`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt: 'a fox', ...body }),
    ...(signal ? { signal } : {}),
  });
  // Each test knows the shape of its reply.
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  const json: any = await response.json();
  return { status: response.status, headers: Object.fromEntries(response.headers), json };
}

/** Sends a request and disconnects as soon as it is running. */
async function sendAndDisconnect(body: object, headers: Record<string, string>): Promise<void> {
  const before = generated(slow);
  const client = new AbortController();
  const sending = postTo(slow, body, headers, client.signal);
  sending.catch(() => {});
  while (generated(slow) === before) await delay(5);
  client.abort();
  await expect(sending).rejects.toThrow();
}

/** Reads the beginning of a reply that exceeds the buffers of the connection, then disconnects. */
async function cutReply(body: object, headers: Record<string, string>): Promise<void> {
  const socket = await sendRaw(body, headers);
  const [first] = await once(socket, 'data');
  expect(String(first)).toMatch(/^HTTP\/1\.1 200/);
  socket.destroy();
}

/** Resets the connection after the bridge has passed the whole reply to the kernel, without reading any of it. */
async function resetUnread(body: object, headers: Record<string, string>): Promise<void> {
  const requests = () => written(bridge);
  const before = await requests();
  const socket = await sendRaw(body, headers);
  socket.pause();
  await expect.poll(requests).toBeGreaterThan(before);
  socket.resetAndDestroy();
}

/** Returns the number of replies to POST /v1/images that the bridge has written completely. */
async function written({ address }: StartedBridge): Promise<number> {
  const reply = await fetch(`${address}/v1/diagnostics`);
  const { events } = (await reply.json()) as Diagnostics;
  return events.items.filter(({ route, status }) => route === '/v1/images' && status === 200)
    .length;
}

async function sendRaw(body: object, headers: Record<string, string>): Promise<Socket> {
  const socket = await openSocket(bridge.port);
  const json = JSON.stringify({ prompt: 'a fox', ...body });
  const head = Object.entries({
    host: `127.0.0.1:${bridge.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(json)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /v1/images HTTP/1.1\r\n${head.join('')}\r\n${json}`);
  return socket;
}

describe('an idempotency key', () => {
  it('generates once, and replies to a repeated request with the same body and a new request id', async () => {
    const before = generated(bridge);
    const first = await post({}, { 'idempotency-key': 'repeat' });

    const second = await post({ idempotency_key: 'repeat' }, {});

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json).toEqual(first.json);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(second.json.id).toBe(first.headers['x-request-id']);
    await expect.poll(() => generated(bridge) - before).toBe(1);
  });

  it('may contain the same non-ASCII characters in the header and in the body', async () => {
    const key = 'Übergröße 画像';
    const first = await post({}, { 'idempotency-key': Buffer.from(key).toString('latin1') });

    const second = await post({ idempotency_key: key }, {});

    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json).toEqual(first.json);
  });

  it('runs one generation for two concurrent requests', async () => {
    const before = generated(slow);
    const [one, other] = await Promise.all([
      postTo(slow, {}, { 'idempotency-key': 'together' }),
      postTo(slow, {}, { 'idempotency-key': 'together' }),
    ]);

    expect(one.json).toEqual(other.json);
    const replayed = [one, other].filter(({ headers }) => headers['idempotent-replayed']);
    expect(replayed).toHaveLength(1);
    await expect.poll(() => generated(slow) - before).toBe(1);
  });

  it('keeps the image for a repeated request after the client has disconnected', async () => {
    const before = generated(slow);
    const headers = { 'idempotency-key': 'left' };
    await sendAndDisconnect({}, headers);

    const repeat = await postTo(slow, {}, headers);

    expect(repeat.status).toBe(200);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.json.data).toHaveLength(1);
    await expect.poll(() => generated(slow) - before).toBe(1);
  });

  it('is rejected for a different request', async () => {
    await post({}, { 'idempotency-key': 'conflict' });

    const { status, json, headers } = await post(
      { prompt: 'another' },
      { 'idempotency-key': 'conflict' },
    );

    expect(status).toBe(409);
    expect(json.error).toMatchObject({ code: 'idempotency_conflict' });
    expect(headers['x-should-retry']).toBe('false');
    expect(headers).not.toHaveProperty('idempotent-replayed');
  });

  it('is rejected if header and body differ', async () => {
    const { status, json } = await post({ idempotency_key: 'one' }, { 'idempotency-key': 'two' });

    expect(status).toBe(422);
    expect(json.error).toMatchObject({ param: 'idempotency_key' });
  });

  it('can be used again after a failure with a known outcome, and replays a failure with an unknown outcome', async () => {
    const before = generated(bridge);
    const known = { routing: { model: 'sandbox-fail-rate_limited' } };
    const unknown = { routing: { model: 'sandbox-hang' }, timeout_ms: 100 };
    const replies = [
      await post(known, { 'idempotency-key': 'known' }),
      await post(known, { 'idempotency-key': 'known' }),
      await post(unknown, { 'idempotency-key': 'unknown' }),
      await post(unknown, { 'idempotency-key': 'unknown' }),
    ];

    expect(replies.map(({ headers }) => headers['idempotent-replayed'])).toEqual([
      ...[undefined, undefined, undefined],
      'true',
    ]);
    expect(replies.map(({ status }) => status)).toEqual([429, 429, 504, 504]);
    expect(replies[3]?.json.error).toEqual(replies[2]?.json.error);
    await expect.poll(() => generated(bridge) - before).toBe(3);
  });
});

// The time to generate, encode and verify on a busy machine.
const TWELVE_IMAGES_MS = 120_000;

describe('a retry of the official client', () => {
  const count = (times: number) => ({
    'x-stainless-retry-count': String(times),
    'user-agent': 'OpenAI/JS 6.0.0',
    'x-stainless-lang': 'js',
  });

  it('gets the image that was being generated when the first attempt was aborted', async () => {
    const before = generated(slow);
    const body = { prompt: 'a retried fox' };
    await sendAndDisconnect(body, count(0));

    const retry = await postTo(slow, body, count(1));

    expect(retry.status).toBe(200);
    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.json.id).not.toBe(retry.headers['x-request-id']);
    await expect.poll(() => generated(slow) - before).toBe(1);
  });

  it('gets the images of a reply that was cut off during its transfer', {
    timeout: TWELVE_IMAGES_MS,
  }, async () => {
    const before = generated(bridge);
    const body = { prompt: 'a fox in a snowstorm', parameters: { n: 12 } };
    await cutReply(body, count(0));

    const retry = await post(body, count(1));

    expect(retry.status).toBe(200);
    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.json.data).toHaveLength(12);
    await expect.poll(() => generated(bridge) - before).toBe(1);
  });

  it.skipIf(IS_BALANCED)(
    'gets the image of a reply that was written completely to a connection that was reset',
    async () => {
      const before = generated(bridge);
      const body = { prompt: 'a small fox', output: { response_format: 'metadata' } };
      await resetUnread(body, count(0));

      const retry = await post(body, count(1));

      expect(retry.status).toBe(200);
      expect(retry.headers['idempotent-replayed']).toBe('true');
      expect(generated(bridge) - before).toBe(1);
    },
  );

  it('is a new request if there was no earlier request', async () => {
    const { status, headers } = await post({ prompt: 'a first fox' }, count(1));

    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('idempotent-replayed');
  });
});
