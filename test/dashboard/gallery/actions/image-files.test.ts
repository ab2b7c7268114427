import { describe, expect, it } from 'vitest';
import { artifactName } from '../../../../dashboard/src/gallery/actions/image-files.ts';
import { artifacts, summary } from '../../support/job-summary.ts';

describe('artifactName', () => {
  const named = (prompt: string, count = 1, index = 0) =>
    artifactName(summary({ prompt, artifacts: artifacts(count) }), index);

  it('names a file after the first words of the prompt and the end of the id', () => {
    expect(named('A Lighthouse, on a cliff at dusk!')).toBe(
      'a-lighthouse-on-a-cliff-at-000001.png',
    );
  });

  it('numbers several files of one job', () => {
    expect(named('Moon', 4, 2)).toBe('moon-000001-3.png');
  });

  it('lets no prompt leave the folder, hide an extension or make the name too long', () => {
    expect(named('../../etc/passwd\u0000.exe')).toBe('etc-passwd-exe-000001.png');
    expect(named('\u202Egnp.exe')).toBe('gnp-exe-000001.png');
    expect(named('🦆 //')).toBe('image-000001.png');
    expect(named('x'.repeat(4000)).length).toBeLessThan(80);
  });

  it('keeps letters of all scripts', () => {
    expect(named('Ein Häuschen 灯台')).toBe('ein-häuschen-灯台-000001.png');
  });
});
