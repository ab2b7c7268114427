import { setImmediate as otherWork } from 'node:timers/promises';
import { BridgeError } from '../../errors/bridge-error.ts';
import { callOf, type Middleware } from '../stack-request.ts';
import { checkJsonStructure } from './json-structure.ts';
import { readBody } from './read-body.ts';
import { toText } from './utf8-text.ts';

const LONG_BYTES = 1024 * 1024;

/** Reads and parses a JSON body. Throws `body_too_large`, `malformed_request`. */
export const jsonBody: Middleware = {
  async before({ event, context }) {
    const call = callOf({ context });
    // The body is a form and has been read.
    if (call.form !== undefined) return;
    const bytes = await readBody({ event, context });
    if (bytes.length === 0) throw new BridgeError('malformed_request', 'the body is empty');
    // With images in the body each step takes milliseconds, so other work runs in between.
    const pause = bytes.length > LONG_BYTES ? otherWork : () => {};
    await pause();
    checkJsonStructure(bytes);
    await pause();
    call.body = parse(toText(bytes, 'the body'));
    await pause();
    // Releases the bytes and their stream.
    event.body = undefined;
  },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the body. Nothing may ever log that.
    throw new BridgeError('malformed_request', 'the body is not JSON');
  }
}
