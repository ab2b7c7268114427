import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import sharp from 'sharp';
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { callWell, goodBody, goodHeaders } from './responses-upstream/good-calls.ts';
import { ResponsesRequest } from './responses-upstream/responses-request.ts';
import {
  createResponsesUpstream,
  type ResponsesUpstream,
  type UpstreamOptions,
} from './responses-upstream/responses-upstream.ts';

const started: ResponsesUpstream[] = [];

async function start(options: UpstreamOptions = {}): Promise<ResponsesUpstream> {
  const upstream = await createResponsesUpstream({ imageBytes: 40_000, ...options });
  started.push(upstream);
  return upstream;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((upstream) => upstream.close()));
});

/** Resolves with all events of one call, as the official client parses them. */
async function readOfficially(
  upstream: ResponsesUpstream,
  tool: Readonly<Record<string, unknown>> = {},
): Promise<ResponseStreamEvent[]> {
  const client = new OpenAI({
    baseURL: upstream.url.replace(/\/responses$/, ''),
    apiKey: upstream.tokens().access_token,
    maxRetries: 0,
    defaultHeaders: goodHeaders(upstream),
  });
  // This line compiles only if the checked request has the published type.
  const body = v.parse(ResponsesRequest, goodBody('A lighthouse', tool));
  const events: ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create(body)) events.push(event);
  return events;
}

/** Returns the image of the finished item. */
function resultOf(events: readonly ResponseStreamEvent[]): string {
  const results = events.flatMap((event) =>
    event.type === 'response.output_item.done' && event.item.type === 'image_generation_call'
      ? [event.item.result ?? '']
      : [],
  );
  expect(results).toHaveLength(1);
  return results[0] ?? '';
}

describe('createResponsesUpstream', () => {
  it('streams events that the official client parses, numbered and in order', async () => {
    const upstream = await start();

    const events = await readOfficially(upstream, { partial_images: 2 });

    const numbered = events.filter((event) => 'sequence_number' in event);
    expect(numbered.map((event) => event.sequence_number)).toEqual(numbered.map((_, at) => at));
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'codex.rate_limits',
      'response.output_item.added',
      'response.output_item.done',
      'response.output_item.added',
      'response.image_generation_call.in_progress',
      'response.image_generation_call.generating',
      'keepalive',
      'response.image_generation_call.partial_image',
      'response.image_generation_call.partial_image',
      'response.image_generation_call.completed',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it.each([
    ['png', '1024x1024', 1024, 1024],
    ['jpeg', '1536x1024', 1536, 1024],
    ['webp', '1024x1536', 1024, 1536],
  ])('generates a real %s of %s', async (output_format, size, width, height) => {
    const upstream = await start();

    const events = await readOfficially(upstream, { output_format, size });

    const image = sharp(Buffer.from(resultOf(events), 'base64'));
    expect(await image.metadata()).toMatchObject({ format: output_format, width, height });
    await expect(image.stats()).resolves.toMatchObject({ isOpaque: true });
  });

  it('generates alpha for a model that supports transparency', async () => {
    const upstream = await start();

    const events = await readOfficially(upstream, {
      model: 'gpt-image-1.5',
      background: 'transparent',
    });

    const { isOpaque } = await sharp(Buffer.from(resultOf(events), 'base64')).stats();
    expect(isOpaque).toBe(false);
  });

  it('uses the flat background colour that the prompt names', async () => {
    const upstream = await start();

    const reply = await callWell(upstream, '', {
      body: JSON.stringify(goodBody('A cup on a flat #00ff00 ground')),
    });

    const result = /"result":"([^"]{100,})"/.exec(reply?.bytes.toString() ?? '')?.[1] ?? '';
    const corner = await sharp(Buffer.from(result, 'base64'))
      .extract({ left: 0, top: 0, width: 1, height: 1 })
      .raw()
      .toBuffer();
    expect([...corner]).toEqual([0, 255, 0]);
  });

  it('generates images of the requested size, a different one for each call', async () => {
    const upstream = await start({ imageBytes: 3_000_000, completedOutput: 'empty' });

    const first = resultOf(await readOfficially(upstream));
    const second = resultOf(await readOfficially(upstream));

    expect(Buffer.from(first, 'base64')).toHaveLength(3_000_000);
    expect(first === second).toBe(false);
  });

  it('sends real partial images that differ from the finished image', async () => {
    const upstream = await start();

    const events = await readOfficially(upstream, { partial_images: 3 });

    const shown = events.flatMap((event) =>
      event.type === 'response.image_generation_call.partial_image'
        ? [event.partial_image_b64]
        : [],
    );
    expect(new Set([...shown, resultOf(events)]).size).toBe(4);
    for (const partial of shown) {
      const { width } = await sharp(Buffer.from(partial, 'base64')).metadata();
      expect(width).toBe(1024);
    }
  });

  it('reports usage, the tool’s own included, and repeats the items at the end', async () => {
    const upstream = await start();

    const events = await readOfficially(upstream);

    const last = events.at(-1);
    expect(last).toMatchObject({
      type: 'response.completed',
      response: {
        status: 'completed',
        output: [{ type: 'image_generation_call', result: resultOf(events) }],
        usage: { input_tokens: 60, output_tokens: 40, total_tokens: 100 },
        tool_usage: { image_gen: { output_tokens: 1056 } },
      },
    });
  });

  it.each([
    'wire=crlf',
    'wire=cr',
    'wire=no-event-lines',
    'wire=no-space',
    'wire=many-data-lines',
    'wire=bom',
    'wire=done',
    'wire=no-content-type',
    'wire=random',
    'wire=gzip',
    'wire=bare',
    'item=generating',
    'item=completed',
    'completed-empty',
  ] as const)('is understood by the official client with %s', async (name) => {
    const upstream = await start({ completedOutput: 'empty' });
    upstream.script(name);

    const events = await readOfficially(upstream);

    const { format } = await sharp(Buffer.from(resultOf(events), 'base64')).metadata();
    expect(format).toBe('png');
    expect(events.at(-1)?.type).toBe('response.completed');
  });

  it('records the outcome, the behaviour and the body of each call', async () => {
    const upstream = await start();
    upstream.script('succeed', 'heartbeats', 'reset=before-headers');
    const body = JSON.stringify(goodBody('A lighthouse'));

    await callWell(upstream, '', { body });
    await callWell(upstream, 'A cup', { maxBytes: 1 });
    await callWell(upstream, 'A cup');
    await callWell(upstream, 'A cup', { body: '{}' });
    await upstream.until(() => upstream.counters().connections === 0);

    const { calls } = upstream;
    expect(calls.map(({ outcome }) => outcome)).toEqual([
      'replied',
      'client_disconnected',
      'cut',
      'refused',
    ]);
    expect(calls.map(({ behaviour }) => behaviour)).toEqual([
      'succeed',
      'heartbeats',
      'reset=before-headers',
      undefined,
    ]);
    expect(calls[0]?.body?.toString()).toBe(body);
    expect(calls[1]?.tookMs).toBeGreaterThanOrEqual(0);
    expect(upstream.counters()).toMatchObject({
      calls: 4,
      open: 0,
      replied: 1,
      client_disconnected: 1,
    });
  });

  it('ends open connections when it closes', async () => {
    const upstream = await start();
    upstream.script('silence=after-headers');
    const reply = callWell(upstream, 'A cup');
    await upstream.until(() => upstream.calls[0]?.behaviour !== undefined);

    await upstream.close();

    expect(upstream.counters()).toMatchObject({ open: 0, connections: 0, client_disconnected: 1 });
    expect((await reply)?.end).not.toBe('ended');
  });

  it('rejects on close if the emulator itself has failed', async () => {
    const upstream = await createResponsesUpstream();
    upstream.script({ behaviour: 'succeed', imageBytes: Number.POSITIVE_INFINITY });

    const reply = await callWell(upstream, 'A cup');

    expect([reply, upstream.calls[0]?.outcome]).toEqual([undefined, 'broken']);
    await expect(upstream.close()).rejects.toThrow('the emulator has failed');
  });
});
