import { describe, expect, it } from 'vitest';
import { toMaxConnections } from '../../../../local-runtime/server/listener/connection-limit.ts';

describe('toMaxConnections', () => {
  it.each<[number | undefined, number | 'unlimited']>([
    [1024, 480],
    [20_000, 9968],
    [64, 1],
    [undefined, 'unlimited'],
  ])('returns, with auto and a limit of %s open files, %s', (files, expected) => {
    expect(toMaxConnections('auto', () => files)).toBe(expected);
  });

  it.each([7, 'unlimited'] as const)('returns the setting %s unchanged', (setting) => {
    expect(toMaxConnections(setting, () => 1024)).toBe(setting);
  });

  it('reads the limit of this process', () => {
    const { userLimits } = process.report.getReport() as {
      userLimits: { open_files: { soft: number | 'unlimited' } };
    };
    const { soft } = userLimits.open_files;
    const expected = typeof soft === 'number' ? Math.floor((soft - 64) / 2) : 'unlimited';

    expect(toMaxConnections('auto')).toBe(expected);
  });
});
