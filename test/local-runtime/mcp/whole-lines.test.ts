import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createWholeLines } from '../../../local-runtime/mcp/whole-lines.ts';

function lines(parts: readonly string[], maxBytes = 100): Readable {
  return Readable.from(parts.map((part) => Buffer.from(part))).compose(createWholeLines(maxBytes));
}

describe('createWholeLines', () => {
  it('joins the chunks of a line, and passes on several lines of one chunk unchanged', async () => {
    const stream = createWholeLines(100);

    const passed = ['a', 'b', 'c\nd', 'e\nf\n', '\n', 'g\r\nh'].map((part) => {
      stream.write(Buffer.from(part));
      return String(stream.read() ?? '');
    });

    expect(passed).toEqual(['', '', 'abc\n', 'de\nf\n', '\n', 'g\r\n']);
  });

  it('fails only when a line exceeds the limit', async () => {
    expect(await buffer(lines(['x'.repeat(60), 'x'.repeat(40), '\n']))).toHaveLength(101);
    await expect(buffer(lines(['x'.repeat(60), 'x'.repeat(41)]))).rejects.toThrow(RangeError);
  });
});
