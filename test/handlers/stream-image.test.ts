import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/images/stream-image.ts';
import type { StreamEventWithBytes } from '../../lib/contract/reply/stream-events.ts';
import type { ImageRequest } from '../../lib/contract/request/image-request.ts';
import { BridgeError } from '../../lib/errors/bridge-error.ts';
import { ByteParts } from '../../lib/platform/byte-parts.ts';
import { parseEventText } from '../support/event-text.ts';
import { invoke } from '../support/invoke.ts';

const partial: StreamEventWithBytes = {
  type: 'partial_image',
  index: 0,
  partial_index: 1,
  format: 'png',
  width: 1,
  height: 1,
  b64_json: new ByteParts([Buffer.from([1, 2]), Buffer.from([3, 4])]),
};
const post = { method: 'POST', body: { prompt: 'a fox' }, headers: { 'x-request-id': 'r1' } };

function recording(replayed = false, failure?: BridgeError) {
  const calls: { request: ImageRequest; context: object }[] = [];
  async function* events(): AsyncGenerator<StreamEventWithBytes> {
    yield { type: 'started', request_id: 'r1', created: 1 };
    yield partial;
    if (failure) throw failure;
  }
  const imageRequests = {
    serve: () => Promise.reject(new Error('unexpected call')),
    async stream(request: ImageRequest, context: object) {
      calls.push({ request, context });
      return { value: events(), replayed };
    },
  };
  return { calls, services: { imageRequests } };
}

describe('streamImage', () => {
  it('passes the parsed request with its scope, id and key to the service', async () => {
    const { calls, services } = recording();
    const headers = { ...post.headers, 'idempotency-key': 'k1', 'x-stainless-retry-count': '2' };

    await invoke(handler, { ...post, headers }, services);

    expect(calls[0]?.request).toMatchObject({ operation: 'generate', prompt: 'a fox' });
    expect(calls[0]?.context).toMatchObject({
      scope: 'anonymous',
      requestId: 'r1',
      idempotencyKey: 'k1',
    });
    expect(calls[0]?.context).toMatchObject({ retryCount: undefined });
  });

  it('forbids proxies to store or buffer the events', async () => {
    const { services } = recording();

    const reply = await invoke(handler, post, services);

    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'r1',
    });
    expect(reply.headers).not.toHaveProperty('content-length');
    expect(parseEventText(reply.bytes.toString()).events).toMatchObject([
      { name: 'started', data: { request_id: 'r1', created: 1 } },
      { name: 'partial_image', data: { partial_index: 1, b64_json: 'AQIDBA==' } },
    ]);
  });

  it.each([
    [true, 'true'],
    [false, undefined],
  ])('sends idempotent-replayed only for a repeated stream: %s', async (replayed, header) => {
    const { services } = recording(replayed);

    const reply = await invoke(handler, post, services);

    expect(reply.headers['idempotent-replayed']).toBe(header);
  });

  it('ends the stream with an error event if the work fails', async () => {
    const { services } = recording(false, new BridgeError('upstream', 'the provider failed'));

    const reply = await invoke(handler, post, services);

    expect(reply.status).toBe(200);
    expect(parseEventText(reply.bytes.toString()).events.at(-1)).toMatchObject({
      name: 'error',
      data: { type: 'error', error: { code: 'upstream_error' }, request_id: 'r1' },
    });
  });

  it('replies to a rejected request with an ordinary error reply', async () => {
    const { calls, services } = recording();

    const reply = await invoke(handler, { ...post, body: { prompt: ' ' } }, services);

    expect(reply.status).toBe(422);
    expect(reply.json).toMatchObject({ error: { param: 'prompt' }, request_id: 'r1' });
    expect(calls).toEqual([]);
  });
});
