import { setImmediate as otherWork } from 'node:timers/promises';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { BridgeError } from '../errors/bridge-error.ts';
import { checkJsonStructure } from './json-structure.ts';
import { readBody } from './read-body.ts';
import { callOf, type Middleware } from './stack-request.ts';
import { toText } from './utf8-text.ts';

const parser = httpJsonBodyParser();
const LONG_BYTES = 1024 * 1024;

type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

/** Reads and parses a JSON body. Throws `body_too_large`, `malformed_request`. */
export const jsonBody: Middleware = {
  async before({ event, context }) {
    const call = callOf({ context });
    // A form came instead, and has been read.
    if (call.form !== undefined) return;
    const bytes = await readBody({ event, context });
    if (bytes.length === 0) throw new BridgeError('malformed_request', 'the body is empty');
    // Of a body with images each step takes milliseconds, and so does what the handler does with it.
    const pause = bytes.length > LONG_BYTES ? otherWork : () => {};
    await pause();
    checkJsonStructure(bytes);
    await pause();
    call.body = await parse(toText(bytes, 'the body'));
    await pause();
    // The bytes and the stream that they came from have served.
    event.body = undefined;
  },
};

async function parse(text: string): Promise<unknown> {
  // The media type was judged before, and more strictly than the parser does.
  const event = { headers: { 'content-type': 'application/json' }, body: text as unknown };
  try {
    // The parser reads and writes these three members only; its types describe all of API Gateway.
    await parser.before?.({ event } as unknown as ParserRequest);
    return event.body;
  } catch {
    // Its error carries the whole body as `cause.data`; nothing may ever log that.
    throw new BridgeError('malformed_request', 'the body is not JSON');
  }
}
