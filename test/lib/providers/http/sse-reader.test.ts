import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseReader, streamLimits } from '../../../../lib/providers/http/sse-reader.ts';
import type { StreamedJson } from '../../../../lib/providers/http/streamed-json.ts';

const LIMITS = streamLimits(8 * 1024 * 1024);

/** All events of a stream that is cut into chunks of the given sizes, which repeat. */
function read(stream: Buffer | string, sizes: readonly number[] = [65_536], limits = LIMITS) {
  const events: StreamedJson[] = [];
  const reader = createSseReader(limits, (data) => events.push(data));
  const bytes = Buffer.from(stream);
  let fault: string | undefined;
  for (let at = 0, turn = 0; at < bytes.length && !fault; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    // A buffer of its own, as from the network: no reader may rely on the bytes before it.
    fault = reader.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return { events, fault, values: events.map(({ value }) => value) };
}

const event = (value: unknown, end = '\n') => `data: ${JSON.stringify(value)}${end}${end}`;

describe('createSseReader', () => {
  it('reads events whatever ends their lines and wherever they are cut', () => {
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

  it('reads images of every length, short ones too', () => {
    for (const length of [1, 2, 3, 100, 12_287, 12_288, 12_289, 12_290, 30_001]) {
      const image = Buffer.from(
        Uint8Array.from({ length: length }, (_, index) => (index * 31 + length) % 256),
      );

      const { events } = read(event({ result: image.toString('base64') }), [4093]);

      const { result } = (events[0]?.value ?? {}) as { result: string };
      expect(events[0]?.bytesOf(result)?.equals(image)).toBe(true);
    }
  });

  it('takes a slash that the writer escaped', () => {
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
    ['a digit of the alphabet for URLs', (text: string) => `${text.slice(0, -4)}AAA_`],
    ['a line end', (text: string) => `${text.slice(0, 20_000)}\n${text.slice(20_000)}`],
    ['a backslash', (text: string) => `${text.slice(0, 20_000)}\\${text.slice(20_001)}`],
  ])('gives no bytes for base64 with %s', (_name, spoil) => {
    const text = spoil(Buffer.alloc(45_000, 7).toString('base64'));

    const { events } = read(event({ result: text }));

    const { result } = (events[0]?.value ?? {}) as { result: string };
    expect(events[0]?.bytesOf(result)).toBeUndefined();
  });

  it('takes an escaped letter for no base64', () => {
    const text = Buffer.alloc(45_000, 7).toString('base64');
    const spelled = `${text.slice(0, 20_000)}\\u0041${text.slice(20_001)}`;

    for (const size of [1, 7, 65_536]) {
      const { events } = read(`data: {"result":"${spelled}"}\n\n`, [size]);

      const { result } = (events[0]?.value ?? {}) as { result: string };
      expect(events[0]?.bytesOf(result)).toBeUndefined();
    }
  });

  it('reports which strings are placeholders of longer ones', () => {
    const { events } = read(event({ short: 'blob 0', long: 'a b '.repeat(5000) }));

    const [found] = events;
    const { short, long } = (found?.value ?? {}) as { short: string; long: string };
    expect(short).toBe('blob 0');
    expect([found?.isPlaceholder(short), found?.isPlaceholder(long)]).toEqual([false, true]);
  });

  it('keeps the images of one event apart', () => {
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
  ])('stops at %s', (_name, stream, fault) => {
    expect(read(stream).fault).toBe(fault);
  });

  it('stops at an event of a megabyte of names', () => {
    const names = Array.from({ length: 80_000 }, (_, at) => `"${at}":{}`).join(',');

    expect(read(`data: {"type":"unknown",${names}}\n\n`)).toMatchObject({
      events: [],
      fault: 'not_json',
    });
  });

  it('stops at 44 unknown events of a megabyte of text', () => {
    const texts = Array.from({ length: 64 }, () => 'x'.repeat(16_000));

    const { events, fault } = read(event({ type: 'unknown', texts }).repeat(44));

    expect(fault).toBe('event_too_long');
    expect(events.length).toBe(8);
  });

  it('counts no image among the text of a stream', () => {
    const image = Buffer.alloc(2_000_000).toString('base64');

    const { events, fault } = read(event({ type: 'x', image }).repeat(6), [65_536], LIMITS);

    expect([events.length, fault]).toEqual([6, undefined]);
  });

  it('stops at a stream of endless small events', () => {
    const limits = { maxEventBytes: 1000, maxStreamBytes: 10_000 };

    expect(read(event({ a: 1 }).repeat(10_000), [100], limits).fault).toBe('stream_too_long');
  });
});
