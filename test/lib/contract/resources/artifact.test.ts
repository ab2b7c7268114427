import { describe, expect, it } from 'vitest';
import { ArtifactPatch } from '../../../../lib/contract/resources/artifact.ts';
import { outputOf, verdictOf } from '../verdict-of.ts';

describe('ArtifactPatch', () => {
  it.each([{ favorite: true }, { hidden: false, note: '' }, { note: '𝒳'.repeat(500) }])(
    'accepts %j',
    (patch) => {
      expect(outputOf(ArtifactPatch, patch)).toEqual(patch);
    },
  );

  it.each([
    [{}, [': required']],
    [{ favorite: 'yes' }, ['favorite: invalid_type']],
    [{ hidden: 1 }, ['hidden: invalid_type']],
    [{ note: 'x'.repeat(501) }, ['note: invalid_length']],
    [{ note: '\u0000' }, ['note: invalid_text']],
    [{ favorite: true, pick: true }, ['pick: unknown_field']],
    [[], [': invalid_type']],
  ])('rejects %j', (patch, verdict) => {
    expect(verdictOf(ArtifactPatch, patch)).toEqual(verdict);
  });
});
