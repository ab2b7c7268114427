import { describe, expect, it } from 'vitest';
import { nameFor } from '../../../../dashboard/src/make/presets/preset-names.ts';
import { PresetName } from '../../../../lib/contract/resources/preset.ts';
import { verdictOf } from '../../../lib/contract/verdict-of.ts';

describe('nameFor', () => {
  it.each([
    ['poster', 'poster'],
    ['Poster.v2', 'Poster.v2'],
    ['Plakat für März', 'plakat-fur-marz'],
    ['海報', 'preset-2'],
    ['taken', 'taken-2'],
    ['x'.repeat(70), 'x'.repeat(56)],
  ])('makes a free name that the API allows: %j', (title, name) => {
    const made = nameFor(title, new Set(['preset', 'taken']));

    expect(made).toBe(name);
    expect(verdictOf(PresetName, made)).toEqual([]);
  });
});
