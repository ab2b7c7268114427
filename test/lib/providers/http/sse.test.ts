import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createReplyReader,
  createSseReader,
  streamLimits,
} from '../../../../lib/providers/http/sse.ts';
import type { StreamedJson } from '../../../../lib/providers/http/streamed-json.ts';

const LIMITS = streamLimits(8 * 1024 * 1024);

/** Returns all events of a stream that is cut into chunks of the given sizes, used in turn. */
function read(stream: Buffer | string, sizes: readonly number[] = [65_536], limits = LIMITS) {
  const events: StreamedJson[] = [];
  const reader = createSseReader(limits, (data) => events.push(data));
  const bytes = Buffer.from(stream);
  let fault: string | undefined;
  for (let at = 0, turn = 0; at < bytes.length && !fault; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    // Each chunk has its own buffer, as chunks from the network do, so that a reader cannot rely on the bytes before
    // it.
    fault = reader.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return { events, fault, values: events.map(({ value }) => value) };
}

const event = (value: unknown, end = '\n') => `data: ${JSON.stringify(value)}${end}${end}`;

describe('createSseReader', () => {
  it('reads events with any line ending and any chunk boundaries', () => {
    const text = fc.array(
      fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== undefined),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (values, end, sizes) => {
          const stream = values
            .map((value) => `: beat${end}event: x${end}${event(value, end)}`)
            .join('');

          expect(read(stream, sizes).values).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
    );
  });

  it.each([
    ['no space after the colon', 'data:{"a":1}\n\n', [{ a: 1 }]],
    ['several data lines', 'data: {"a":\ndata: 1}\n\n', [{ a: 1 }]],
    ['a comment', ': heartbeat\n\n', []],
    ['a byte order mark', '\uFEFFdata: {"a":1}\n\ndata: {"b":2}\n\n', [{ a: 1 }, { b: 2 }]],
    ['a byte order mark before another field', '\uFEFFevent: x\ndata: 1\n\n', [1]],
    ['no byte order mark but at the beginning', 'data: 1\n\n\uFEFFdata: 2\n\n', [1]],
    ['many lines that end with CR', `${'data:1\r\r'.repeat(500)}`, Array(500).fill(1)],
    ['other fields', 'event: x\nid: 7\nretry: 10\ndataset: {\n\n', []],
    ['an event that was not finished', 'data: {"a":1}\n', []],
    ['nothing', '', []],
  ])('reads %s', (_name, stream, values) => {
    expect(read(stream, [1])).toMatchObject({ values, fault: undefined });
  });

  it.each([1, 2, 3, 7, 1000, 16_384, 65_536])('decodes an image in chunks of %i', (size) => {
    const image = Buffer.from(
      Uint8Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 256),
    );
    const value = {
      type: 'x',
      before: 'a"\\\\',
      item: { result: image.toString('base64'), after: 'ü' },
    };

    const { events } = read(event(value), [size]);

    const [found] = events;
    const parsed = found?.value as { before: string; item: { result: string; after: string } };
    expect(parsed.before).toBe('a"\\\\');
    expect(parsed.item.after).toBe('ü');
    expect(found?.bytesOf(parsed.item.result)?.equals(image)).toBe(true);
  });

  it('decodes images of every length, including short images', () => {
    for (const length of [1, 2, 3, 100, 12_287, 12_288, 12_289, 12_290, 30_001]) {
      const image = Buffer.from(
        Uint8Array.from({ length: length }, (_, index) => (index * 31 + length) % 256),
      );

      const { events } = read(event({ result: image.toString('base64') }), [4093]);

      const { result } = (events[0]?.value ?? {}) as { result: string };
      expect(events[0]?.bytesOf(result)?.equals(image)).toBe(true);
    }
  });

  it('decodes base64 with escaped slashes', () => {
    const image = Buffer.alloc(60_000, 0xff);
    const json = JSON.stringify({ result: image.toString('base64') }).replaceAll('/', '\\/');

    for (const size of [1, 4096]) {
      const { events } = read(`data: ${json}\n\n`, [size]);

      const { result } = (events[0]?.value ?? {}) as { result: string };
      expect(events[0]?.bytesOf(result)?.equals(image)).toBe(true);
    }
  });

  it.each([
    ['a foreign character', (text: string) => `${text.slice(0, 20_000)}!${text.slice(20_001)}`],
    ['padding in the middle', (text: string) => `${text.slice(0, 20_000)}=${text.slice(20_001)}`],
    ['white space', (text: string) => `${text.slice(0, 20_000)} ${text.slice(20_001)}`],
    ['a missing end', (text: string) => text.slice(0, -1)],
    ['a character of the URL alphabet', (text: string) => `${text.slice(0, -4)}AAA_`],
    ['a line end', (text: string) => `${text.slice(0, 20_000)}\n${text.slice(20_000)}`],
    ['a backslash', (text: string) => `${text.slice(0, 20_000)}\\${text.slice(20_001)}`],
  ])('returns no bytes for base64 with %s', (_name, spoil) => {
    const text = spoil(Buffer.alloc(45_000, 7).toString('base64'));

    const { events } = read(event({ result: text }));

    const { result } = (events[0]?.value ?? {}) as { result: string };
    expect(events[0]?.bytesOf(result)).toBeUndefined();
  });

  it('rejects base64 with an escaped letter', () => {
    const text = Buffer.alloc(45_000, 7).toString('base64');
    const spelled = `${text.slice(0, 20_000)}\\u0041${text.slice(20_001)}`;

    for (const size of [1, 7, 65_536]) {
      const { events } = read(`data: {"result":"${spelled}"}\n\n`, [size]);

      const { result } = (events[0]?.value ?? {}) as { result: string };
      expect(events[0]?.bytesOf(result)).toBeUndefined();
    }
  });

  it('reports which strings are placeholders', () => {
    const { events } = read(event({ short: 'blob 0', long: 'a b '.repeat(5000) }));

    const [found] = events;
    const { short, long } = (found?.value ?? {}) as { short: string; long: string };
    expect(short).toBe('blob 0');
    expect([found?.isPlaceholder(short), found?.isPlaceholder(long)]).toEqual([false, true]);
  });

  it('decodes each of several images in one event', () => {
    const [a, b] = [Buffer.alloc(30_000, 1), Buffer.alloc(40_000, 2)];

    const { events } = read(event({ a: a.toString('base64'), b: b.toString('base64') }), [999]);

    const value = events[0]?.value as { a: string; b: string };
    expect(events[0]?.bytesOf(value.a)?.equals(a)).toBe(true);
    expect(events[0]?.bytesOf(value.b)?.equals(b)).toBe(true);
  });

  it.each([
    ['garbage', 'data: {"a":\n\n', 'not_json'],
    ['a string that never ends', `data: "${'x'.repeat(100)}\n\n`, 'not_json'],
    ['an endless line', `data: ${'['.repeat(3_000_000)}`, 'event_too_long'],
    ['an endless comment', `: ${'x'.repeat(30_000_000)}`, 'event_too_long'],
    ['an endless string', `data: "${'A'.repeat(30_000_000)}`, 'event_too_long'],
    ['an endless event of many lines', 'id: x\n'.repeat(5_000_000), 'event_too_long'],
  ])('returns a fault for %s', (_name, stream, fault) => {
    expect(read(stream).fault).toBe(fault);
  });

  it('rejects an event with a megabyte of member names', () => {
    const names = Array.from({ length: 80_000 }, (_, at) => `"${at}":{}`).join(',');

    expect(read(`data: {"type":"unknown",${names}}\n\n`)).toMatchObject({
      events: [],
      fault: 'not_json',
    });
  });

  it('rejects a stream of 44 unknown events with a megabyte of text each', () => {
    const texts = Array.from({ length: 64 }, () => 'x'.repeat(16_000));

    const { events, fault } = read(event({ type: 'unknown', texts }).repeat(44));

    expect(fault).toBe('event_too_long');
    expect(events.length).toBe(8);
  });

  it('excludes images from the text limit of a stream', () => {
    const image = Buffer.alloc(2_000_000).toString('base64');

    const { events, fault } = read(event({ type: 'x', image }).repeat(6), [65_536], LIMITS);

    expect([events.length, fault]).toEqual([6, undefined]);
  });

  it('rejects an endless stream of small events', () => {
    const limits = { maxEventBytes: 1000, maxStreamBytes: 10_000 };

    expect(read(event({ a: 1 }).repeat(10_000), [100], limits).fault).toBe('stream_too_long');
  });
});

const REPLY_LIMITS = { maxEventBytes: 100_000, maxStreamBytes: 200_000 };
const IMAGE = Buffer.alloc(40_000, 'image');
const WHOLE = JSON.stringify({ data: [{ b64_json: IMAGE.toString('base64') }] });

function readerOf() {
  const seen: StreamedJson[] = [];
  const reader = createReplyReader(REPLY_LIMITS, (value) => seen.push(value));
  return { seen, reader };
}

describe('createReplyReader', () => {
  it.each([1, 7, 100_000])('reads a reply that is one object in chunks of %d bytes', (size) => {
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

  it('reads a reply that is a stream of events', () => {
    const { seen, reader } = readerOf();

    reader.push(Buffer.from(': comment\n\ndata: {"a":1}\n\ndata: {"a":2}\n\ndata: {"a":3}'));

    expect(reader.end()).toBeUndefined();
    expect(seen.map(({ value }) => value)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('rejects an HTML page', () => {
    expect(readerOf().reader.push(Buffer.from('\r\n<html>'))).toBe('not_json');
  });

  it('rejects an incomplete object', () => {
    const { seen, reader } = readerOf();
    reader.push(Buffer.from(WHOLE.slice(0, -5)));

    expect(reader.end()).toBe('not_json');
    expect(seen).toEqual([]);
  });

  it('rejects a reply that exceeds the limit', () => {
    const { reader } = readerOf();
    const chunk = Buffer.alloc(100_000, 'A');

    expect(reader.push(Buffer.from('{"b64_json":"'))).toBeUndefined();
    expect(reader.push(chunk)).toBeUndefined();
    expect(reader.push(chunk)).toBe('stream_too_long');
    expect(reader.end()).toBe('stream_too_long');
  });

  it('returns no fault for an empty reply', () => {
    const { seen, reader } = readerOf();
    reader.push(Buffer.from('\n\n'));

    expect(reader.end()).toBeUndefined();
    expect(seen).toEqual([]);
  });
});
