import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createResponsesUpstream, type ResponsesUpstream } from '../responses-upstream.ts';
import { type Observed, observe, typesOf } from './observe.ts';
import { SUCCESS_ROWS } from './success-rows.ts';

type Name = (typeof SUCCESS_ROWS)[number]['name'];

let upstream: ResponsesUpstream;

beforeAll(async () => {
  upstream = await createResponsesUpstream({ imageBytes: 30_000, completedOutput: 'empty' });
});
afterAll(() => upstream.close());

const PARTIAL = 'response.image_generation_call.partial_image';
const DONE = 'response.output_item.done';

/** The difference of each kind of success from the others. */
const MARKS: Readonly<Record<Name, (observed: Observed) => boolean>> = {
  succeed: ({ text }) => /^: keep-alive\n\nevent: response.created\ndata: \{"/.test(text),
  'item=generating': (observed) => statusOf(observed) === 'generating',
  'item=completed': (observed) => statusOf(observed) === 'completed',
  'result-in-completed': (observed) => statusOf(observed) === undefined,
  'completed-empty': ({ events }) => events.at(-1)?.response?.output.length === 0,
  'done-twice': ({ events }) => events.filter(({ item }) => item?.result != null).length === 2,
  'partials=three': (observed) => typesOf(observed).filter((type) => type === PARTIAL).length === 3,
  'partials=late': (observed) =>
    typesOf(observed).lastIndexOf(PARTIAL) > typesOf(observed).lastIndexOf(DONE),
  'many-events': ({ events }) => events.length > 100_000,
  'wire=crlf': ({ text }) => /^(?:[^\r\n]|\r\n)*$/.test(text),
  'wire=cr': ({ text }) => text.includes('\r') && !text.includes('\n'),
  'wire=no-event-lines': ({ text }) => !/^event:/m.test(text),
  'wire=no-space': ({ text }) => !/^\w+: /m.test(text),
  'wire=many-data-lines': ({ text }) => text.includes('\ndata: {\ndata:  "type"'),
  'wire=bom': ({ text }) => text.startsWith('\uFEFF'),
  'wire=done': ({ text }) => text.endsWith('\n\ndata: [DONE]\n\n'),
  'wire=no-content-type': ({ reply }) => reply?.headers['content-type'] === undefined,
  'wire=one-byte': ({ reply }) => largestPiece(reply?.pieces) === 1,
  'wire=random': ({ reply }) => largestPiece(reply?.pieces) <= 1000,
  'wire=gzip': ({ reply }) => reply?.headers['content-encoding'] === 'gzip',
  'wire=bare': ({ text }) => !/^:|codex|keepalive|"type":"reasoning"/m.test(text),
  drip: ({ reply }) => largestPiece(reply?.pieces) <= 1024,
};

describe('SUCCESS_ROWS', () => {
  it.each(SUCCESS_ROWS)('has one image and an end in $name', async ({ name }) => {
    const observed = await observe(upstream, name);

    const { reply, results, events, call } = observed;
    expect([reply?.status, reply?.end, call?.outcome]).toEqual([200, 'ended', 'replied']);
    expect(new Set(results).size).toBe(1);
    const image = sharp(Buffer.from(results[0] ?? '', 'base64'));
    expect(await image.metadata()).toMatchObject({ format: 'png', width: 1024 });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed' });
    expect(MARKS[name](observed)).toBe(true);
  });
});

/** The status of the finished item. */
function statusOf({ events }: Observed): string | undefined {
  return events.find(({ item }) => item?.result != null)?.item?.status;
}

function largestPiece(pieces: readonly number[] = []): number {
  return Math.max(...pieces);
}
