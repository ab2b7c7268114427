import { describe, expect, it } from 'vitest';
import { currentSection } from '../../../dashboard/src/system/current-section.ts';

const EXTENTS = [
  { id: 'providers', top: -300, bottom: 20 },
  { id: 'activity', top: 40, bottom: 300 },
  { id: 'models', top: 320, bottom: 900 },
  { id: 'storage', top: 320, bottom: 700 },
];

describe('currentSection', () => {
  it('returns the first section of which more than a strip is visible', () => {
    expect(currentSection(EXTENTS, 800, '')).toBe('activity');
  });

  it('returns the section that the address names while its start is visible', () => {
    expect(currentSection(EXTENTS, 800, 'storage')).toBe('storage');
  });

  it('returns another section after the named one was left', () => {
    expect(currentSection(EXTENTS, 800, 'providers')).toBe('activity');
    expect(currentSection(EXTENTS, 310, 'storage')).toBe('activity');
  });

  it('returns undefined if there are no sections', () => {
    expect(currentSection([], 800, 'storage')).toBeUndefined();
  });
});
