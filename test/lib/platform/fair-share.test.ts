import { describe, expect, test } from 'vitest';
import { checkRoom, isAboveShare } from '../../../lib/platform/fair-share.ts';

describe('checkRoom', () => {
  test.each([
    ['any holder may use free room', { used: 89, own: 89, holders: 1 }, 1, 'room'],
    ['the only holder leaves the last tenth', { used: 90, own: 90, holders: 1 }, 1, 'share'],
    ['a newcomer may use the last tenth', { used: 90, own: 0, holders: 2 }, 1, 'room'],
    ['a holder may fill its equal share', { used: 90, own: 24, holders: 4 }, 1, 'room'],
    ['a holder may not exceed it there', { used: 90, own: 25, holders: 4 }, 1, 'share'],
    ['one piece may reach into the last tenth', { used: 85, own: 10, holders: 2 }, 15, 'room'],
    ['no holder may exceed the limit', { used: 100, own: 0, holders: 2 }, 1, 'full'],
  ])('%s', (_, { holders, ...room }, needed, verdict) => {
    expect(checkRoom({ limit: 100, isShared: true, ...room, holders: () => holders }, needed)).toBe(
      verdict,
    );
  });

  test('an unshared capacity is fully available to its holder', () => {
    const room = { limit: 100, used: 99, own: 99, isShared: false };

    expect(checkRoom({ ...room, holders: () => 1 }, 1)).toBe('room');
    expect(checkRoom({ ...room, holders: () => 2 }, 1)).toBe('share');
  });

  test('a limit below 10 reserves nothing', () => {
    const room = { limit: 9, used: 8, own: 8, isShared: true, holders: () => 2 };

    expect(checkRoom(room, 1)).toBe('room');
  });

  test('holders are not counted below nine tenths of the limit', () => {
    const holders = () => {
      throw new Error('counted');
    };

    expect(checkRoom({ limit: 100, used: 50, own: 50, isShared: true, holders }, 1)).toBe('room');
  });
});

describe('isAboveShare', () => {
  test.each([
    [25, 4, false],
    [26, 4, true],
    [100, 1, false],
    [101, 1, true],
  ])('%i of a limit of 100 for %i holders: %s', (own, holders, expected) => {
    expect(isAboveShare(own, 100, holders)).toBe(expected);
  });
});
