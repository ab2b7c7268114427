import { describe, expect, it } from 'vitest';
import { bytesOver } from '../../../dashboard/src/make/to-request.ts';

describe('bytesOver', () => {
  it.each([
    ['nothing', {}, 0],
    ['what just fits', { prompt: 'a'.repeat(12_288) }, 0],
    ['a byte more', { prompt: 'a'.repeat(12_289) }, 1],
    ['letters of two bytes', { prompt: 'ü'.repeat(6145) }, 2],
    ['characters of four bytes', { prompt: '🌙'.repeat(3073) }, 4],
    ['both prompts together', { prompt: 'a'.repeat(12_000), negative_prompt: 'b'.repeat(300) }, 12],
    ['prompts that are null', { prompt: null, negative_prompt: null }, 0],
  ])('returns the excess bytes of %s', (_, settings, over) => {
    expect(bytesOver(settings)).toBe(over);
  });
});
