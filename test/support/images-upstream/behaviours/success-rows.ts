import { type Framing, PLAIN_FRAMING } from '../../upstream/framing.ts';
import type { Settings } from '../settings.ts';
import { behaviour } from './behaviour.ts';
import { asked, defaultBody, succeed } from './default-reply.ts';

const NO_TOKENS = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

/** Valid replies, in every form that a server may use. */
export const SUCCESS_ROWS = [
  behaviour('succeed', 'what the server normally sends', succeed),
  wire('one-byte', 'one byte a piece', { chunks: 1, imageBytes: 30_000 }),
  wire('random', 'pieces of 1 to 3000 bytes', { chunks: { seed: 11, maxBytes: 3000 } }),
  wire('pretty', 'indented JSON with escaped slashes', { isPretty: true }),
  wire('no-content-type', 'no content type', { contentType: undefined }),
  wire('text', 'JSON that is declared as text', { contentType: 'text/plain' }),
  wire('page', 'JSON that is declared as a page', { contentType: 'text/html' }),
  framed('crlf', 'events with lines that end with CR LF', { lineEnd: '\r\n' }),
  framed('cr', 'events with lines that end with CR', { lineEnd: '\r' }),
  framed('no-event-lines', 'events without `event:` lines', { hasEventLines: false }),
  framed('no-space', 'events without a space after the colon', { hasSpace: false }),
  framed('many-data-lines', 'events of many `data:` lines', { hasManyDataLines: true }),
  framed('bom', 'a stream that begins with a BOM', { beginsWithBom: true }),
  framed('done', 'a stream that ends with [DONE]', { endsWithDone: true }),

  behaviour('usage=zero', 'a usage of zeros', async (inFlight) => {
    const body = await defaultBody(inFlight);
    await inFlight.replyJson({ ...body, usage: NO_TOKENS });
  }),
  behaviour('usage=none', 'no usage', async (inFlight) => {
    const { usage: _, ...body } = await defaultBody(inFlight);
    await inFlight.replyJson(body);
  }),
  behaviour('revised-prompt', 'another prompt than the one that was sent', async (inFlight) => {
    const item = asked(inFlight, await inFlight.draw());
    const revised_prompt = 'A revised prompt.';
    await inFlight.replyJson(inFlight.body([{ ...item, revised_prompt }]));
  }),
  behaviour(
    'more-members',
    'members that no document names, before the others',
    async (inFlight) => {
      const more = { vendor: { data: [{ b64_json: 'bm90aGluZw==' }] }, b64_json: 'bm90aGluZw==' };
      await inFlight.replyJson({ ...more, ...(await defaultBody(inFlight)) });
    },
  ),
] as const;

function wire<const Name extends string>(name: Name, about: string, changes: Partial<Settings>) {
  return behaviour(`wire=${name}`, about, succeed, changes);
}

function framed<const Name extends string>(name: Name, about: string, changes: Partial<Framing>) {
  return wire(name, about, { framing: { ...PLAIN_FRAMING, ...changes } });
}
