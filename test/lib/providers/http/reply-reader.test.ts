import { describe, expect, it } from 'vitest';
import { createReplyReader } from '../../../../lib/providers/http/reply-reader.ts';
import type { StreamedJson } from '../../../../lib/providers/http/streamed-json.ts';

const LIMITS = { maxEventBytes: 100_000, maxStreamBytes: 200_000 };
const IMAGE = Buffer.alloc(40_000, 'image');
const WHOLE = JSON.stringify({ data: [{ b64_json: IMAGE.toString('base64') }] });

function readerOf() {
  const seen: StreamedJson[] = [];
  const reader = createReplyReader(LIMITS, (value) => seen.push(value));
  return { seen, reader };
}

describe('createReplyReader', () => {
  it.each([1, 7, 100_000])('reads one object in chunks of %d bytes', (size) => {
    const { seen, reader } = readerOf();
    const text = Buffer.from(` \n${WHOLE}\n`);

    for (let at = 0; at < text.length; at += size) {
      expect(reader.push(text.subarray(at, at + size))).toBeUndefined();
    }

    expect(reader.end()).toBeUndefined();
    const [only] = seen as [StreamedJson];
    const [{ b64_json }] = (only.value as { data: [{ b64_json: string }] }).data;
    expect(seen).toHaveLength(1);
    expect(only.bytesOf(b64_json)).toEqual(IMAGE);
  });

  it('reads a stream of events', () => {
    const { seen, reader } = readerOf();

    reader.push(Buffer.from(': comment\n\ndata: {"a":1}\n\ndata: {"a":2}\n\ndata: {"a":3}'));

    expect(reader.end()).toBeUndefined();
    expect(seen.map(({ value }) => value)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('takes a page for no reply', () => {
    expect(readerOf().reader.push(Buffer.from('\r\n<html>'))).toBe('not_json');
  });

  it('takes half an object for no reply', () => {
    const { seen, reader } = readerOf();
    reader.push(Buffer.from(WHOLE.slice(0, -5)));

    expect(reader.end()).toBe('not_json');
    expect(seen).toEqual([]);
  });

  it('stops at a reply that is too long', () => {
    const { reader } = readerOf();
    const chunk = Buffer.alloc(100_000, 'A');

    expect(reader.push(Buffer.from('{"b64_json":"'))).toBeUndefined();
    expect(reader.push(chunk)).toBeUndefined();
    expect(reader.push(chunk)).toBe('stream_too_long');
    expect(reader.end()).toBe('stream_too_long');
  });

  it('says nothing of an empty reply', () => {
    const { seen, reader } = readerOf();
    reader.push(Buffer.from('\n\n'));

    expect(reader.end()).toBeUndefined();
    expect(seen).toEqual([]);
  });
});
