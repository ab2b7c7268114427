import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { EVENT_STREAM_HEADERS } from '../../../lib/http/reply/event-stream.ts';
import { encodeReply } from '../../../local-runtime/function/encode-reply.ts';

const IMAGE_HEADERS = { 'content-type': 'application/json', 'content-length': '6' };
const OVER = new BridgeError('timeout', 'the time of the function is over');

const toText = ({ body }: { readonly body: string }) => Buffer.from(body, 'base64').toString();

/** A body of these pieces, and what follows them. */
async function* pieces(
  texts: readonly string[],
  follows: () => Promise<void> | void = () => {},
): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
  await follows();
}

function encode(
  body: AsyncIterable<Uint8Array>,
  headers: Record<string, string>,
  signal = new AbortController().signal,
) {
  return encodeReply({ statusCode: 200, headers, body }, { isBodiless: false, signal });
}

describe('encodeReply', () => {
  it('joins the pieces of a body', async () => {
    const reply = await encode(pieces(['abc', 'def']), IMAGE_HEADERS);

    expect(reply).toMatchObject({ statusCode: 200, headers: IMAGE_HEADERS, isBase64Encoded: true });
    expect(toText(reply)).toBe('abcdef');
  });

  it('ends events where they are when the time is over', async () => {
    const ending = new AbortController();
    const events = pieces([': a\n\n'], () => {
      ending.abort(OVER);
      return new Promise(() => {});
    });

    const reply = await encode(events, { ...EVENT_STREAM_HEADERS }, ending.signal);

    expect(toText(reply)).toBe(': a\n\n');
  });

  it('never returns a part of another body as if it were the whole', async () => {
    const encoded = encode(pieces(['abc', 'def']), IMAGE_HEADERS, AbortSignal.abort(OVER));

    await expect(encoded).rejects.toBe(OVER);
  });

  it('throws what the body throws', async () => {
    const failing = pieces(['abc'], () => {
      throw new Error('the file has disappeared');
    });

    await expect(encode(failing, IMAGE_HEADERS)).rejects.toThrow('the file has disappeared');
  });
});
