import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';
import { BROKEN_ROWS } from './broken-rows.ts';
import { ENDLESS_ROWS } from './endless-rows.ts';
import { observe, typesOf } from './observe.ts';
import { SILENCE_ROWS } from './silence-rows.ts';

type Name = (typeof BROKEN_ROWS)[number]['name'];

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream({
    imageBytes: 30_000,
    silenceMs: 10,
    heartbeatMs: 1,
    hasExtras: false,
  });
});
afterAll(() => upstream.close());

const PROGRESS = 'response.image_generation_call.in_progress';
const GENERATING = 'response.image_generation_call.generating';
const PARTIAL = 'response.image_generation_call.partial_image';
const DRAWN = 'response.image_generation_call.completed';
const DONE = 'response.output_item.done';
const COMPLETED = 'response.completed';

type End = 'ended' | 'broken' | undefined;

/** The end of each stream, and the last valid event before it. */
const ENDS: Readonly<Record<Name, readonly [End, string | undefined, RegExp]>> = {
  'truncated=nothing': ['ended', undefined, /^$/],
  'truncated=opening': ['ended', 'response.in_progress', /\n\n$/],
  'truncated=generating': ['ended', GENERATING, /\n\n$/],
  'truncated=partial': ['ended', PARTIAL, /\n\n$/],
  'truncated=item': ['ended', DONE, /\n\n$/],
  'cut=partial': ['broken', PARTIAL, /\n\n$/],
  'cut=line': ['broken', DRAWN, /"result":"[\w+/]+$/],
  'cut=item': ['broken', DONE, /\n\n$/],
  'cut=completed': ['broken', DONE, /event: response\.completed\ndata: [^\n]+$/],
  'close=before-headers': [undefined, undefined, /^$/],
  'reset=before-headers': [undefined, undefined, /^$/],
  'reset=after-headers': ['broken', undefined, /^$/],
  'reset=line': ['broken', DRAWN, /"result":"[\w+/]+$/],
  'garbage=bytes': ['ended', undefined, /\uFFFD/],
  'garbage=http': [undefined, undefined, /^$/],
  'garbage=json': ['ended', COMPLETED, /^data: \{"type":"response.output_item.done",\n$/m],
  'garbage=null': ['ended', COMPLETED, /^data: null$/m],
  'garbage=text': ['ended', COMPLETED, /^data: alive$/m],
  'garbage=no-type': ['ended', COMPLETED, /^data: \{"sequence_number":7\}$/m],
  'garbage=shape': ['ended', COMPLETED, /^data: \{"type":"response.output_item.done"\}$/m],
  'garbage=result': ['ended', COMPLETED, /"result":1\}\}$/m],
  'garbage=utf8': ['ended', COMPLETED, /^data: \uFFFD\uFFFD$/m],
  'garbage=unknown-field': ['ended', COMPLETED, /^shape: round$/m],
};

describe('BROKEN_ROWS', () => {
  it.each(BROKEN_ROWS)('cuts or corrupts the stream as $name says', async ({ name }) => {
    const [end, lastType, text] = ENDS[name];

    const observed = await observe(upstream, name);

    expect([observed.reply?.end, typesOf(observed).at(-1)]).toEqual([end, lastType]);
    expect(observed.text).toMatch(text);
    expect(observed.call?.outcome).toBe(end === 'ended' ? 'replied' : 'cut');
  });
});

describe('SILENCE_ROWS', () => {
  it.each(SILENCE_ROWS)('continues after $name', async ({ name }) => {
    const observed = await observe(upstream, name, { tool: { partial_images: 1 } });

    expect(observed.reply?.end).toBe('ended');
    // A timer of 10 ms may fire up to one millisecond early.
    expect(observed.call?.tookMs).toBeGreaterThan(9);
    expect(typesOf(observed)).toEqual([
      ...['response.created', 'response.in_progress', 'response.output_item.added'],
      ...[PROGRESS, GENERATING, PARTIAL, DRAWN, DONE, COMPLETED],
    ]);
  });

  it.each([
    ['silence=before-headers', /^$/],
    ['silence=after-headers', /^$/],
    ['silence=generating', /generating"[^\n]+\n\n$/],
    ['silence=partial', /partial_image"[^\n]+\n\n$/],
    ['silence=line', /"result":"[\w+/]+$/],
    ['silence=item', /output_item\.done"[^\n]+\n\n$/],
    ['silence=end', /response\.completed"[^\n]+\n\n$/],
  ] as const)('is silent where %s says', async (name, lastText) => {
    const ownUpstream = await createResponsesUpstream({ imageBytes: 30_000, hasExtras: false });
    const observed = observe(ownUpstream, name);
    await ownUpstream.until(() => ownUpstream.calls[0]?.isSilent === true);

    await ownUpstream.close();

    expect((await observed).text).toMatch(lastText);
  });
});

/** The part that repeats. */
const ENDLESS: Readonly<Record<(typeof ENDLESS_ROWS)[number]['name'], RegExp>> = {
  'endless=line': /^data: \{"partial_image_b64":"A{900000}/m,
  'endless=data-lines': /(data: A{1000}\n){900}/,
  'endless=events': /(event: keepalive\ndata: \{"type":"keepalive"\}\n\n){1000}/,
  'endless=comments': /(: still here\n\n){1000}/,
  'endless=blank-lines': /\n{900000}/,
  heartbeats: /(: keep-alive\n\n){3}/,
};

describe('ENDLESS_ROWS', () => {
  it.each(ENDLESS_ROWS)('continues with $name until the client disconnects', async ({ name }) => {
    const maxBytes = name === 'heartbeats' ? 4000 : 1_000_000;

    const { reply, text, call } = await observe(upstream, name, { maxBytes });

    expect([reply?.end, call?.outcome]).toEqual(['disconnected', 'client_disconnected']);
    expect(text).toMatch(ENDLESS[name]);
  });
});
