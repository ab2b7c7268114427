import { describe, expect, it } from 'vitest';
import { handler } from '../../handlers/images/create-image.ts';
import type { ImageResponseWithBytes } from '../../lib/contract/reply/image-response.ts';
import type { ImageRequest } from '../../lib/contract/request/image-request.ts';
import type { RequestContext } from '../../lib/contract/request/request-context.ts';
import { ByteParts } from '../../lib/platform/byte-parts.ts';
import { invoke } from '../support/invoke.ts';

const parameters = {
  n: 1,
  size: 'auto',
  aspect_ratio: null,
  resolution: null,
  quality: 'auto' as const,
  output_format: 'png' as const,
  output_compression: null,
  background: 'auto' as const,
  moderation: 'auto' as const,
  partial_images: 0,
  failure_policy: 'fail_fast' as const,
  action: 'auto' as const,
  input_fidelity: null,
};

const response: ImageResponseWithBytes = {
  id: 'r1',
  created: 1,
  provider: 'sandbox',
  model: 'sandbox-image',
  requested: parameters,
  effective: parameters,
  normalizations: [],
  data: [
    {
      type: 'b64_json',
      b64_json: new ByteParts([Buffer.from([1, 2]), Buffer.from([3, 4])]),
      index: 0,
      format: 'png',
      width: 1,
      height: 1,
      bytes: 4,
      sha256: 'a'.repeat(64),
    },
  ],
  timings: { queue_ms: 0, input_ms: 0, provider_ms: 0, artifact_ms: 0, total_ms: 0 },
  delivered: [],
  warnings: [],
};

function recording(replayed = false) {
  const calls: { request: ImageRequest; context: RequestContext }[] = [];
  const imageRequests = {
    async serve(request: ImageRequest, context: RequestContext) {
      calls.push({ request, context });
      return { value: response, replayed };
    },
    stream: () => Promise.reject(new Error('unexpected stream')),
  };
  return { calls, services: { imageRequests } };
}

describe('createImage', () => {
  it('passes the parsed request with its scope, id and base URL to the service', async () => {
    const { calls, services } = recording();
    const sent = {
      method: 'POST',
      body: { prompt: 'a fox', parameters: null, mask: null },
      headers: {
        'x-request-id': 'r1',
        'idempotency-key': 'k1',
        'x-stainless-retry-count': '2',
      },
    };

    await invoke(handler, sent, services);

    expect(calls[0]?.request).toMatchObject({ operation: 'generate', prompt: 'a fox', images: [] });
    expect(calls[0]?.context).toMatchObject({
      scope: 'anonymous',
      requestId: 'r1',
      baseUrl: 'http://localhost:8787',
      idempotencyKey: 'k1',
      retryCount: '2',
    });
  });

  it('writes the bytes as base64', async () => {
    const { services } = recording();

    const reply = await invoke(handler, { method: 'POST', body: { prompt: 'a fox' } }, services);

    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ data: [{ b64_json: 'AQIDBA==' }] });
    expect(reply.headers['content-length']).toBe(String(reply.bytes.length));
  });

  it.each([
    [true, 'true'],
    [false, undefined],
  ])('sends idempotent-replayed only for a repeated reply: %s', async (replayed, header) => {
    const { services } = recording(replayed);
    const sent = {
      method: 'POST',
      body: { prompt: 'a fox' },
      headers: { 'x-request-id': 'r2' },
    };

    const reply = await invoke(handler, sent, services);

    expect(reply.headers['idempotent-replayed']).toBe(header);
    expect(reply.headers['x-request-id']).toBe('r2');
    expect(reply.json).toMatchObject({ id: 'r1' });
  });

  it('rejects an invalid request before a service is called', async () => {
    const { calls, services } = recording();
    const body = { prompt: ' ', parameters: { n: 256, quality: 'best' }, extra: 1 };

    const reply = await invoke(handler, { method: 'POST', body }, services);

    expect(reply.status).toBe(422);
    const { issues } = (reply.json as { error: { bridge_ext: { details: { issues: unknown[] } } } })
      .error.bridge_ext.details;
    expect(issues).toMatchObject([
      { field: 'extra', code: 'unknown_field' },
      { field: 'parameters.n', code: 'out_of_range' },
      { field: 'parameters.quality', code: 'invalid_value' },
      { field: 'prompt', code: 'blank' },
    ]);
    expect(calls).toEqual([]);
  });
});
