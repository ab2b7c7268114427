import { describe, expect, it } from 'vitest';
import { createSealedCursors } from '../../../lib/cursors/sealed-cursor.ts';

const secret = Buffer.alloc(32, 7);
const position = Buffer.from('the last one', 'utf8');
const list = ['things', 'of one owner', undefined];

describe('createSealedCursors', () => {
  it('reads the position of its own list, after a restart too', () => {
    const cursor = createSealedCursors(secret).write(list, position);

    expect(createSealedCursors(secret).read(list, cursor)).toEqual(position);
  });

  it.each([
    ['another list', ['things', 'of another owner', undefined]],
    ['another filter', ['things', 'of one owner', 'red']],
    ['a shorter list', ['things', 'of one owner']],
  ])('refuses a cursor of %s at its field', (_, other) => {
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

  it('refuses a cursor with any character changed, added or left out', () => {
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

  it.each(['', 'A', '%', 'AAAAAAAAAAAAAAAAAAAAAA', 'ä'])('refuses %j', (cursor) => {
    expect(() => createSealedCursors(secret).read(list, cursor)).toThrow();
  });
});
