import { setImmediate as otherWork } from 'node:timers/promises';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { BridgeError } from '../../errors/bridge-error.ts';
import { callOf, type Middleware } from '../stack-request.ts';
import { checkJsonStructure } from './json-structure.ts';
import { readBody } from './read-body.ts';
import { toText } from './utf8-text.ts';

const parser = httpJsonBodyParser();
const LONG_BYTES = 1024 * 1024;
// The bytes, their text, and the parsed value with the images that are decoded from it.
const COPIES = 3;

type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

/** Reads and parses a JSON body. Throws `body_too_large`, `malformed_request`. */
export const jsonBody: Middleware = {
  async before({ event, context }) {
    const call = callOf({ context });
    // The body is a form and has been read.
    if (call.form !== undefined) return;
    const { bytes, discard } = await readBody({ event, context }, { copies: COPIES });
    if (bytes.length === 0) throw new BridgeError('malformed_request', 'the body is empty');
    // With images in the body each step takes milliseconds, so other work runs in between.
    const pause = bytes.length > LONG_BYTES ? otherWork : () => {};
    await pause();
    checkJsonStructure(bytes);
    await pause();
    const text = toText(bytes, 'the body');
    discard();
    await pause();
    call.body = await parse(text);
    await pause();
    // Releases the bytes and their stream.
    event.body = undefined;
  },
};

async function parse(text: string): Promise<unknown> {
  // The media type has been checked already, more strictly than the parser does.
  const event = { headers: { 'content-type': 'application/json' }, body: text as unknown };
  try {
    // The parser uses only these members; its types describe all of API Gateway.
    await parser.before?.({ event } as unknown as ParserRequest);
    return event.body;
  } catch {
    // Its error holds the whole body as `cause.data`, which must never be logged.
    throw new BridgeError('malformed_request', 'the body is not JSON');
  }
}
