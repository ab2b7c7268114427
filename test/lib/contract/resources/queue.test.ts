import { describe, expect, it } from 'vitest';
import { QueuePatch } from '../../../../lib/contract/resources/queue.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

describe('QueuePatch', () => {
  it.each([true, false])('accepts %s', (paused) => {
    expect(outputOf(QueuePatch, { paused })).toEqual({ paused });
  });

  it.each([
    [{}, 'paused: required'],
    [{ paused: null }, 'paused: invalid_type'],
    [{ paused: 1 }, 'paused: invalid_type'],
    [{ paused: true, reason: 'lunch' }, 'reason: unknown_field'],
  ])('rejects %j', (patch, verdict) => {
    expect(verdictOf(QueuePatch, patch)).toEqual([verdict]);
  });
});
