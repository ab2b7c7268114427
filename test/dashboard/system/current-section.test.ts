import { describe, expect, it } from 'vitest';
import { currentSection } from '../../../dashboard/src/system/current-section.ts';

const EXTENTS = [
  { id: 'providers', top: -300, bottom: 20 },
  { id: 'activity', top: 40, bottom: 300 },
  { id: 'models', top: 320, bottom: 900 },
  { id: 'storage', top: 320, bottom: 700 },
];

describe('currentSection', () => {
  it('is the first part of which more than a strip is seen', () => {
    expect(currentSection(EXTENTS, 800, '')).toBe('activity');
  });

  it('is the part that the address names while its beginning is seen', () => {
    expect(currentSection(EXTENTS, 800, 'storage')).toBe('storage');
  });

  it('is another one once the named part has been left', () => {
    expect(currentSection(EXTENTS, 800, 'providers')).toBe('activity');
    expect(currentSection(EXTENTS, 310, 'storage')).toBe('activity');
  });

  it('is none before there is any', () => {
    expect(currentSection([], 800, 'storage')).toBeUndefined();
  });
});
