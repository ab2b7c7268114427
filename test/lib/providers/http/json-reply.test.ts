import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { readJsonReply } from '../../../../lib/providers/http/json-reply.ts';
import { slices } from '../../../support/slices.ts';

const Reply = v.object({ url: v.string() });

const SIGNAL = new AbortController().signal;

function bodyOf(text: string) {
  return {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text);
    },
    destroy: () => undefined,
  };
}

function read(text: string, maxBytes = 1_000_000) {
  return readJsonReply(bodyOf(text), { maxBytes, slices, signal: SIGNAL });
}

describe('readJsonReply', () => {
  it.each([1000, 100_000])('decodes an image of %i bytes in a data URL', async (length) => {
    const image = Buffer.alloc(length, 7);
    const url = `data:image/png;base64,${image.toString('base64')}`;

    const json = await read(JSON.stringify({ url }));

    const { url: text } = v.parse(Reply, json?.value);
    expect(json?.bytesOf(text)).toEqual(image);
    expect(json?.isPlaceholder(text)).toBe(length > 16_384);
  });

  it('returns undefined for HTML and for a reply that is too long', async () => {
    expect(await read('<html></html>')).toBeUndefined();
    expect(await read('{"a": 1}', 4)).toBeUndefined();
  });
});
