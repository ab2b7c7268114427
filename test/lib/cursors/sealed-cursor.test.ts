import { describe, expect, it } from 'vitest';
import { createSealedCursors } from '../../../lib/cursors/sealed-cursor.ts';

const secret = Buffer.alloc(32, 7);
const position = Buffer.from('the last one', 'utf8');
const list = ['things', 'of one owner', undefined];

describe('createSealedCursors', () => {
  it('returns the position of its own list, even after a restart', () => {
    const cursor = createSealedCursors(secret).write(list, position);

    expect(createSealedCursors(secret).read(list, cursor)).toEqual(position);
  });

  it('reveals neither the bytes nor the order of positions', () => {
    const cursors = createSealedCursors(secret);
    const texts = Array.from({ length: 1000 }, (_, sequence) =>
      cursors.writeSequence(list, sequence),
    );

    const decoded = texts.map((text) => Buffer.from(text, 'base64url'));
    const columns = decoded[0] ? [...decoded[0].keys()] : [];
    // Positions have six equal bytes; in cursors each byte of a thousand takes nearly all values.
    for (const at of columns) {
      expect(new Set(decoded.map((bytes) => bytes[at])).size).toBeGreaterThan(200);
    }
    expect(columns).toHaveLength(24);
    expect(texts.toSorted()).not.toEqual(texts);
    expect(new Set(texts).size).toBe(1000);
  });

  it.each([
    ['another list', ['things', 'of another owner', undefined]],
    ['another filter', ['things', 'of one owner', 'red']],
    ['a shorter list', ['things', 'of one owner']],
  ])('refuses a cursor of %s, at the field `cursor`', (_, other) => {
    const cursors = createSealedCursors(secret);
    const cursor = cursors.write(other, position);

    expect(() => cursors.read(list, cursor)).toThrow(
      expect.objectContaining({ bridgeCode: 'invalid_request', param: 'cursor' }),
    );
  });

  it('refuses a cursor that was made with another secret', () => {
    const cursor = createSealedCursors(Buffer.alloc(32, 8)).write(list, position);

    expect(() => createSealedCursors(secret).read(list, cursor)).toThrow();
  });

  it('refuses a cursor with a changed, added or missing character', () => {
    const cursors = createSealedCursors(secret);
    const cursor = cursors.write(list, position);

    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      const shorter = cursor.slice(0, at) + cursor.slice(at + 1);
      for (const damaged of [changed, shorter, `${cursor.slice(0, at)}=${cursor.slice(at)}`]) {
        expect(() => cursors.read(list, damaged)).toThrow();
      }
    }
  });

  it.each([0, 1, 4711, Number.MAX_SAFE_INTEGER])(
    'returns the sequence %i of a cursor',
    (sequence) => {
      const cursors = createSealedCursors(secret);
      const cursor = cursors.writeSequence(list, sequence);

      expect(cursors.readSequence(list, cursor)).toBe(sequence);
      expect(cursors.openSequence(list, cursor)).toBe(sequence);
    },
  );

  it('gives the cursors of all sequences the same length, which reveals no magnitude', () => {
    const cursors = createSealedCursors(secret);
    const lengths = [1, 4711, Number.MAX_SAFE_INTEGER].map(
      (sequence) => cursors.writeSequence(list, sequence).length,
    );

    expect(new Set(lengths).size).toBe(1);
  });

  it('refuses a cursor whose position is no sequence, such as a cursor of an earlier version', () => {
    const cursors = createSealedCursors(secret);
    const cursor = cursors.write(list, Buffer.from('4711'));

    expect(() => cursors.readSequence(list, cursor)).toThrow(
      expect.objectContaining({ bridgeCode: 'invalid_request', param: 'cursor' }),
    );
    expect(cursors.openSequence(list, cursor)).toBeUndefined();
  });

  it.each(['', 'A', '%', 'AAAAAAAAAAAAAAAAAAAAAA', 'ä'])('refuses %j', (cursor) => {
    expect(() => createSealedCursors(secret).read(list, cursor)).toThrow();
  });
});
