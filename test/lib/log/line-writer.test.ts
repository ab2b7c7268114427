import { describe, expect, it } from 'vitest';
import { createLineWriter } from '../../../lib/log/line-writer.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const LONG_ENOUGH_MS = 1000;

/** A file descriptor that accepts `room` bytes or fails. */
function createDescriptor() {
  const descriptor = { text: '', room: Infinity, failure: '' };
  return Object.assign(descriptor, {
    writeBytes(bytes: Uint8Array): number {
      const code = descriptor.failure || (descriptor.room === 0 ? 'EAGAIN' : '');
      if (code) throw Object.assign(new Error(code), { code });
      const written = Math.min(bytes.length, descriptor.room);
      descriptor.text += Buffer.from(bytes).toString('utf8', 0, written);
      descriptor.room -= written;
      return written;
    },
  });
}

function open() {
  const descriptor = createDescriptor();
  const clock = createManualClock();
  const { write } = createLineWriter({ writeBytes: descriptor.writeBytes, clock });
  const lines = () => descriptor.text.split('\n').slice(0, -1);
  return { descriptor, clock, write, lines };
}

const lostLines = (line: string | undefined) => JSON.parse(line ?? '{}').lost;

describe('createLineWriter', () => {
  it('writes a line at once', () => {
    const { write, lines } = open();

    write('one\n');

    expect(lines()).toEqual(['one']);
  });

  it('keeps the lines of a full pipe in order until it is read', async () => {
    const { descriptor, clock, write, lines } = open();
    descriptor.room = 2;

    for (const line of ['one\n', 'two\n', 'three\n']) write(line);
    await clock.advance(LONG_ENOUGH_MS);
    descriptor.room = Infinity;
    await clock.advance(LONG_ENOUGH_MS);

    expect(lines()).toEqual(['one', 'two', 'three']);
    expect(clock.waiting).toBe(0);
  });

  it('drops lines that do not fit into the buffer and reports their number', async () => {
    const { descriptor, clock, write, lines } = open();
    const line = `${'x'.repeat(1023)}\n`;
    descriptor.room = 0;

    for (let count = 0; count < 3000; count += 1) write(line);
    write('short\n');
    descriptor.room = Infinity;
    await clock.advance(LONG_ENOUGH_MS);
    write('after\n');

    const written = lines();
    const kept = written.slice(0, -2);
    expect(kept).toHaveLength(1024);
    expect(new Set(kept)).toEqual(new Set([line.trimEnd()]));
    expect(lostLines(written.at(-2))).toBe(3000 - 1024 + 1);
    expect(written.at(-1)).toBe('after');
  });

  it.each(['EPIPE', 'ENOSPC'])('counts the lines lost with %s over several failures', (code) => {
    const { descriptor, write, lines } = open();
    descriptor.failure = code;

    for (const line of ['one\n', 'two\n', 'three\n']) write(line);
    descriptor.failure = '';
    write('four\n');
    write('five\n');

    expect(lines().map((line) => (line.startsWith('{') ? lostLines(line) : line))).toEqual([
      3,
      'four',
      'five',
    ]);
  });

  it('sets no timer if there is no reader', () => {
    const { descriptor, clock, write } = open();
    descriptor.failure = 'EPIPE';

    write('one\n');

    expect(clock.waiting).toBe(0);
  });

  it('starts a new line after a truncated line', async () => {
    const { descriptor, clock, write, lines } = open();
    descriptor.room = 2;

    write('one\n');
    descriptor.failure = 'EPIPE';
    await clock.advance(LONG_ENOUGH_MS);
    descriptor.failure = '';
    descriptor.room = Infinity;
    write('two\n');

    const [cut, report, next] = lines();
    expect([cut, lostLines(report), next]).toEqual(['on', 1, 'two']);
  });

  it('writes the report as one JSON line with its time', () => {
    const { descriptor, clock, write, lines } = open();
    descriptor.failure = 'EPIPE';

    write('one\n');
    descriptor.failure = '';
    write('two\n');

    expect(JSON.parse(lines()[0] ?? '')).toEqual({
      time: new Date(clock.nowMs()).toISOString(),
      level: 'WARN',
      event: 'log_lines_lost',
      lost: 1,
    });
  });
});
