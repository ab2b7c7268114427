import { describe, expect, it } from 'vitest';
import { toDurationParts } from '../../../dashboard/src/text/text.ts';

describe('toDurationParts', () => {
  it.each([
    [0, '0 second'],
    [999, '0 second'],
    [12_000, '12 second'],
    [61_000, '1 minute 1 second'],
    [3_600_000, '1 hour'],
    [273_600_000, '3 day 4 hour'],
    [604_800_000, '7 day'],
    [86_400_000 + 5000, '1 day'],
  ])('has %d ms as %s', (milliseconds, parts) => {
    const written = toDurationParts(milliseconds).map(({ count, unit }) => `${count} ${unit}`);

    expect(written.join(' ')).toBe(parts);
  });
});
