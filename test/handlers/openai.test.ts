import { describe, expect, it } from 'vitest';
import { handler as createImageEdit } from '../../handlers/openai/create-image-edit.ts';
import { handler as createImageGeneration } from '../../handlers/openai/create-image-generation.ts';
import { handler as getModel } from '../../handlers/openai/get-model.ts';
import { handler as listModels } from '../../handlers/openai/list-models.ts';
import type { RequestContext } from '../../lib/contract/request/request-context.ts';
import type { ImagesReply } from '../../lib/openai/openai-images.ts';
import { toImagesResponse } from '../../lib/openai/to-response.ts';
import { ByteParts } from '../../lib/platform/byte-parts.ts';
import { generationOf, models, responseOf, translated } from '../lib/openai/sent.ts';
import { parseEventText } from '../support/event-text.ts';
import { formBytes, formType } from '../support/form-bytes.ts';
import { invoke } from '../support/invoke.ts';

const value = toImagesResponse(responseOf(), translated(generationOf()));
const whole: ImagesReply = { value, replayed: false };
const head = {
  'x-request-id': 'r1',
  'idempotency-key': 'k1',
  'x-stainless-retry-count': '2',
};

/** Creates a service that replies with `reply` and records its calls. */
function recording(reply: ImagesReply = whole) {
  const calls: { sent: unknown; context: RequestContext }[] = [];
  async function respond(sent: unknown, context: RequestContext) {
    calls.push({ sent, context });
    return reply;
  }
  return { calls, services: { openAiImages: { generate: respond, edit: respond } } };
}

const generation = { method: 'POST', body: { prompt: 'a fox', seed: 1 }, headers: head };
const edit = {
  method: 'POST',
  headers: head,
  body: { prompt: 'night', images: [{ image_url: 'data:,' }] },
};

describe.each([
  ['createImageGeneration', createImageGeneration, generation],
  ['createImageEdit', createImageEdit, edit],
] as const)('%s', (operationId, handler, sent) => {
  it('passes the request with its scope, id, key and retry count to the service', async () => {
    const { calls, services } = recording();

    await invoke(handler, { ...sent, query: 'api-version=1' }, services);

    expect(calls).toMatchObject([
      {
        sent: { fields: { prompt: sent.body.prompt } },
        context: {
          operationId,
          scope: 'anonymous',
          requestId: 'r1',
          baseUrl: 'http://localhost:8787',
          idempotencyKey: 'k1',
          retryCount: '2',
        },
      },
    ]);
  });

  it('writes the bytes as base64', async () => {
    const { services } = recording();

    const reply = await invoke(handler, sent, services);

    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ data: [{ b64_json: 'AA==' }] });
  });

  it.each([
    [true, 'true'],
    [false, undefined],
  ])('sends idempotent-replayed only for a repeated reply: %s', async (replayed, header) => {
    const { services } = recording({ value, replayed });

    const reply = await invoke(handler, sent, services);

    expect(reply.headers['idempotent-replayed']).toBe(header);
  });

  it('writes the events of a stream', async () => {
    async function* events() {
      yield {
        type: 'image_edit.completed' as const,
        created_at: 1,
        size: '1x1',
        quality: 'auto' as const,
        background: 'auto' as const,
        output_format: 'png' as const,
        b64_json: new ByteParts([Buffer.from([0])]),
      };
    }
    const { services } = recording({ events: events(), replayed: false });

    const reply = await invoke(handler, sent, services);

    expect(reply.headers['content-type']).toBe('text/event-stream');
    expect(parseEventText(reply.bytes.toString()).events).toMatchObject([
      { name: 'image_edit.completed', data: { b64_json: 'AA==' } },
    ]);
  });

  it('rejects an invalid request before a service is called', async () => {
    const { calls, services } = recording();
    const body = { ...sent.body, n: 0, markup: 'x' };

    const reply = await invoke(handler, { ...sent, body }, services);

    expect(reply).toMatchObject({ status: 422, json: { error: { param: 'markup' } } });
    expect(calls).toEqual([]);
  });
});

describe('createImageEdit', () => {
  it('accepts a form instead of JSON', async () => {
    const { calls, services } = recording();
    const body = formBytes([
      { name: 'image', filename: 'a', content: 'one' },
      { name: 'prompt', content: 'night' },
    ]);
    const headers = { 'content-type': formType(), 'content-length': String(body.length) };

    await invoke(createImageEdit, { method: 'POST', body, headers }, services);

    expect(calls).toMatchObject([
      {
        sent: {
          fields: { fields: { prompt: 'night' }, unknown: [] },
          files: { image: [Buffer.from('one')], mask: [], reference_image: [] },
        },
      },
    ]);
  });
});

describe('listModels', () => {
  it("lists the models in the form of OpenAI's API", async () => {
    const reply = await invoke(listModels, { query: 'limit=1' }, { models });

    expect(reply).toMatchObject({
      status: 200,
      json: { object: 'list', data: expect.arrayContaining([models.get('small')]) },
    });
  });
});

describe('getModel', () => {
  it.each([
    ['far/shared', 200],
    ['unheard-of', 404],
  ])('replies to %s with %i', async (id, status) => {
    const reply = await invoke(getModel, { pathParameters: { id } }, { models });

    expect(reply.status).toBe(status);
  });
});
