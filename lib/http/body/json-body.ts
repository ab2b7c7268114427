import { setImmediate as otherWork } from 'node:timers/promises';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { BridgeError } from '../../errors/bridge-error.ts';
import { callOf, type Middleware } from '../stack.ts';
import { checkJsonStructure } from './json-structure.ts';
import { toText } from './media-types.ts';
import { readBody } from './read-body.ts';

const parser = httpJsonBodyParser();
const LONG_BYTES = 1024 * 1024;
// A body is in memory as bytes, as text, and as the parsed value with the decoded images.
const COPIES = 3;

type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

/** Reads and parses a JSON body. Throws `body_too_large`, `malformed_request`. */
export const jsonBody: Middleware = {
  async before({ event, context }) {
    const call = callOf({ context });
    // A form has already been read.
    if (call.form !== undefined) return;
    const { bytes, discard } = await readBody({ event, context }, { copies: COPIES });
    if (bytes.length === 0) throw new BridgeError('malformed_request', 'the body is empty');
    // Each step takes milliseconds for a body with images, so other work runs between the steps.
    const pause = bytes.length > LONG_BYTES ? otherWork : () => {};
    await pause();
    checkJsonStructure(bytes);
    await pause();
    const text = toText(bytes, 'the body');
    discard();
    await pause();
    call.body = await parse(text);
    await pause();
    // Allows the bytes and their stream to be garbage-collected.
    event.body = undefined;
  },
};

// A text without these parts has none of the names that the parser of middy rejects because they could change a prototype.
const SUSPICIOUS = ['__proto__', 'constructor', '\\u'];

async function parse(text: string): Promise<unknown> {
  try {
    // The parser of middy checks the name of every value, which takes five times as long as parsing.
    const isSuspicious = SUSPICIOUS.some((part) => text.includes(part));
    return isSuspicious ? await parseChecked(text) : JSON.parse(text);
  } catch {
    // The error of the parser is dropped because it contains the whole body, which must never be logged.
    throw new BridgeError('malformed_request', 'the body is not valid JSON');
  }
}

async function parseChecked(text: string): Promise<unknown> {
  // The media type was already checked, and more strictly than the parser checks it.
  const event = { headers: { 'content-type': 'application/json' }, body: text as unknown };
  // The cast is safe because the parser uses only these members, although its types describe the whole API Gateway event.
  await parser.before?.({ event } as unknown as ParserRequest);
  return event.body;
}
