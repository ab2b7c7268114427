import { describe, expect, test } from 'vitest';
import { createJobCursors, type ListedJobs } from '../../../lib/jobs/job-cursor.ts';

const SECRET = Buffer.alloc(32, 7);
const LISTED: ListedJobs = { scope: 'anonymous', visibility: 'active' };

const cursors = createJobCursors(SECRET);

describe('createJobCursors', () => {
  test.each([1, 4711, Number.MAX_SAFE_INTEGER])('a cursor holds the sequence %i', (sequence) => {
    const cursor = cursors.write(LISTED, sequence);

    expect(cursors.read(LISTED, cursor)).toBe(sequence);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });

  test('a cursor outlives a restart', () => {
    const cursor = cursors.write(LISTED, 5);

    expect(createJobCursors(Buffer.from(SECRET)).read({ ...LISTED }, cursor)).toBe(5);
  });

  test.each<[string, ListedJobs]>([
    ['another scope', { ...LISTED, scope: 'other' }],
    ['another visibility', { ...LISTED, visibility: 'all' }],
    ['a status', { ...LISTED, status: 'failed' }],
    ['favourites alone', { ...LISTED, favorite: true }],
    ['all but favourites', { ...LISTED, favorite: false }],
    ['a provider', { ...LISTED, provider: 'sandbox' }],
    ['a search', { ...LISTED, search: 'cat' }],
  ])('under %s it is refused', (_, listed) => {
    const cursor = cursors.write(LISTED, 5);

    expect(() => cursors.read(listed, cursor)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'cursor' }),
    );
    expect(cursors.write(listed, 5)).not.toBe(cursor);
  });

  test('with any of its letters changed it is refused', () => {
    const cursor = cursors.write(LISTED, 5);

    for (let index = 0; index < cursor.length; index += 1) {
      const letter = cursor[index] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, index) + letter + cursor.slice(index + 1);
      expect(() => cursors.read(LISTED, changed)).toThrow('does not follow the contract');
    }
  });

  test.each(['', 'AAAA', 'not a cursor', `${'A'.repeat(32)}`, 'é'.repeat(32), 'A'.repeat(1024)])(
    'the text %j is refused',
    (text) => {
      expect(() => cursors.read(LISTED, text)).toThrow('does not follow the contract');
    },
  );

  test.each(['=', '\n', ' ', 'A', '%'])('a cursor with %j behind it is refused', (tail) => {
    const cursor = cursors.write(LISTED, 5);

    expect(() => cursors.read(LISTED, cursor + tail)).toThrow('does not follow the contract');
  });

  test('a cursor of another secret is refused', () => {
    const foreign = createJobCursors(Buffer.alloc(32, 8)).write(LISTED, 5);

    expect(() => cursors.read(LISTED, foreign)).toThrow('does not follow the contract');
  });
});
