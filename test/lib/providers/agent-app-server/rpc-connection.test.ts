import { describe, expect, it } from 'vitest';
import { createMessageReader } from '../../../../lib/providers/agent-app-server/rpc-connection.ts';

const LIMIT = 2_000_000;

/** Reads a text in chunks of this many bytes. */
function read(text: string, chunkBytes = text.length) {
  const values: unknown[] = [];
  const images: (Buffer | undefined)[] = [];
  let skipped = 0;
  const reader = createMessageReader(LIMIT, {
    onMessage(message) {
      values.push(message.value);
      const { result } = (message.value ?? {}) as { result?: unknown };
      if (typeof result === 'string') images.push(message.bytesOf(result));
    },
    onSkippedLine() {
      skipped += 1;
    },
  });
  const bytes = Buffer.from(text);
  let fault: string | undefined;
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    fault = reader.push(bytes.subarray(at, at + chunkBytes));
  }
  return { values, images, fault, skipped };
}

describe('createMessageReader', () => {
  it.each([1, 2, 7, 1000])('reads messages in chunks of %i bytes', (chunkBytes) => {
    const text = '{"a":1}\n\n{"b":"\\"\\n ä"}\r\n{"c":[]}\n{"half":';

    expect(read(text, chunkBytes)).toMatchObject({
      values: [{ a: 1 }, { b: '"\n ä' }, { c: [] }],
      fault: undefined,
      skipped: 0,
    });
  });

  it.each([1, 2, 7, 1000])('skips lines that are not messages in chunks of %i bytes', (bytes) => {
    const noise = 'Welcome to the "wrapper\n[1, 2]\n\n \t\r\n"text"\n';
    const text = `${noise}{"a":1}\n# {"b":2}\n  {"c":3}\r\nhalf`;

    expect(read(text, bytes)).toMatchObject({
      values: [{ a: 1 }, { c: 3 }],
      fault: undefined,
      skipped: 4,
    });
  });

  it('reads any number of messages of any total length', () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(10_000) })}\n`;

    const { values, fault } = read(line.repeat(2000), 65_536);

    expect(values).toHaveLength(2000);
    expect(fault).toBeUndefined();
  });

  it.each([1000, 65_536])('decodes an image in chunks of %i bytes', (chunkBytes) => {
    const image = Buffer.alloc(700_000, 'image');
    const line = `${JSON.stringify({ result: image.toString('base64') })}\n`;

    const { images, fault } = read(line, chunkBytes);

    expect(images[0]?.equals(image)).toBe(true);
    expect(fault).toBeUndefined();
  });

  it.each([
    ['not_json', '{not JSON\n{"a":1}\n'],
    ['not_json', '{"a":"\n"}\n'],
    ['message_too_long', `"${'A'.repeat(LIMIT)}"\n`],
    ['message_too_long', `{"a":[${'1,'.repeat(600_000)}1]}\n`],
  ])('returns the fault %s', (expected, text) => {
    expect(read(text, 65_536)).toMatchObject({ values: [], fault: expected });
  });
});
