import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256Steps } from '../../../lib/images/sha256-steps.ts';
import { finish } from '../../support/finish.ts';

describe('sha256Steps', () => {
  it.each([0, 1, 4 * 1024 * 1024, 9 * 1024 * 1024 + 1])('hashes %i bytes', (length) => {
    const bytes = Buffer.alloc(length, 'image');

    const sha256 = finish(sha256Steps(bytes));

    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
