import { describe, expect, it } from 'vitest';
import type { StreamEventWithBytes } from '../../../lib/contract/reply/stream-events.ts';
import type { AnyImageRequest } from '../../../lib/contract/request/image-request.ts';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { createOpenAiImages, type ImagesReply } from '../../../lib/openai/openai-images.ts';
import { ByteParts } from '../../../lib/platform/byte-parts.ts';
import { requestContext } from '../../support/request-context.ts';
import { editBody, formBody, generationBody, imageOf, LIMITS, models, responseOf } from './sent.ts';

const context = requestContext({ operationId: 'op', retryCount: '1' });
const refusal = new BridgeError('unsupported_capability', 'no', {
  param: 'parameters.size',
  details: { field: 'parameters.size' },
});
const usage = { input_tokens: 1, output_tokens: 2 };
const reported = { ...usage, input_tokens_details: { text_tokens: 1, image_tokens: 0 } };
const partial: StreamEventWithBytes = {
  type: 'partial_image',
  index: 1,
  partial_index: 0,
  format: 'png',
  width: 8,
  height: 4,
  b64_json: new ByteParts([Buffer.from([9])]),
};

interface Script {
  readonly response?: ReturnType<typeof responseOf>;
  readonly events?: readonly StreamEventWithBytes[];
  readonly refusal?: BridgeError;
  readonly failure?: BridgeError;
}

/** Creates the routes over native routes that record the requests and return what the test sets. */
function open({ response = responseOf(), events = [], refusal: refused, failure }: Script = {}) {
  const calls: { request: AnyImageRequest; operationId: string }[] = [];
  const ended: string[] = [];
  async function* scripted(): AsyncGenerator<StreamEventWithBytes> {
    try {
      yield { type: 'started', request_id: 'r1', created: 5 };
      yield { type: 'progress', stage: 'generating' };
      yield* events;
      if (failure) throw failure;
      yield { type: 'completed', response };
    } finally {
      ended.push('ended');
    }
  }
  async function replyWith<T>(request: AnyImageRequest, operationId: string, value: T) {
    calls.push({ request, operationId });
    if (refused) throw refused;
    return { value, replayed: true };
  }
  const images = createOpenAiImages({
    imageRequests: {
      serve: (request, { operationId }) => replyWith(request, operationId, response),
      stream: (request, { operationId }) => replyWith(request, operationId, scripted()),
    },
    models,
    limits: LIMITS,
  });
  return { images, calls, ended };
}

function generate({ images }: ReturnType<typeof open>, sent: object = {}): Promise<ImagesReply> {
  return images.generate(generationBody(sent), context);
}

async function eventsOf(reply: Promise<ImagesReply>): Promise<unknown[]> {
  const settled = await reply;
  const events: unknown[] = [];
  if ('events' in settled) for await (const event of settled.events) events.push(event);
  return events;
}

describe('createOpenAiImages', () => {
  it('returns the images, and marks a repeated reply', async () => {
    const rig = open();

    const reply = await generate(rig);

    expect(reply).toMatchObject({
      replayed: true,
      value: { data: [{}], bridge_ext: { id: 'r1' } },
    });
    expect(rig.calls).toMatchObject([{ operationId: 'op', request: { operation: 'generate' } }]);
  });

  it('serves an edit as JSON and as a form', async () => {
    const rig = open();
    const image = [Buffer.from('1'), Buffer.from('2')];

    await rig.images.edit(editBody(), context);
    await rig.images.edit(formBody({}, { image }), context);

    expect(rig.calls.map(({ request }) => request)).toMatchObject([
      { operation: 'edit', images: [{ type: 'data_url' }] },
      { operation: 'edit', images: [{ bytes: image[0] }, { bytes: image[1] }] },
    ]);
  });

  it('reports a refusal under the caller’s own names', async () => {
    await expect(generate(open({ refusal }))).rejects.toMatchObject({
      param: 'size',
      details: { field: 'size' },
    });
  });

  it('refuses a stream before it begins', async () => {
    await expect(generate(open({ refusal }), { stream: true })).rejects.toMatchObject({
      param: 'size',
    });
  });

  it('streams partial images as they arrive, then the image', async () => {
    const rig = open({ events: [partial], response: responseOf({ usage }) });

    const events = await eventsOf(generate(rig, { stream: true, style: 'vivid' }));

    const unknown = { quality: 'auto', background: 'auto', output_format: 'png' };
    expect(events).toEqual([
      {
        type: 'image_generation.partial_image',
        partial_image_index: 0,
        created_at: 5,
        b64_json: new ByteParts([Buffer.from([9])]),
        size: '8x4',
        ...unknown,
      },
      {
        type: 'image_generation.completed',
        created_at: 7,
        usage: reported,
        b64_json: new ByteParts([Buffer.from([0])]),
        size: '64x32',
        ...unknown,
        bridge_ext: { ignored_parameters: ['style'] },
      },
    ]);
  });

  it('streams several images with their index, and the usage with the last one', async () => {
    const { effective } = responseOf();
    const data = [imageOf(0), imageOf(1)];
    const response = responseOf({ data, usage, effective: { ...effective, size: '9x9' } });
    const rig = open({ events: [partial], response });

    const events = await eventsOf(generate(rig, { stream: true, n: 2 }));

    expect(events).toMatchObject([
      { index: 1 },
      { index: 0, size: '9x9' },
      { index: 1, usage: reported },
    ]);
    expect(events[1]).not.toHaveProperty('usage');
  });

  it('names the events of an edit `image_edit`', async () => {
    const rig = open({ events: [partial] });

    const events = await eventsOf(rig.images.edit(editBody({ stream: true }), context));

    expect(events).toMatchObject([
      { type: 'image_edit.partial_image' },
      { type: 'image_edit.completed' },
    ]);
  });

  it('reports a later failure under the caller’s own names', async () => {
    const rig = open({ failure: refusal });

    await expect(eventsOf(generate(rig, { stream: true }))).rejects.toMatchObject({
      param: 'size',
    });
  });

  it('ends the native stream when its reader disconnects', async () => {
    const rig = open({ events: [partial] });
    const reply = await generate(rig, { stream: true });

    if ('events' in reply) for await (const _ of reply.events) break;

    expect(rig.ended).toEqual(['ended']);
  });

  it('refuses an invalid request before it starts any work', async () => {
    const rig = open();

    await expect(generate(rig, { output_compression: 5 })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'output_compression',
    });
    expect(rig.calls).toEqual([]);
  });
});
