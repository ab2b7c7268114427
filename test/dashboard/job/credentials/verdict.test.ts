import { describe, expect, it } from 'vitest';
import type { ManifestReport, Provenance } from '../../../../dashboard/src/api/schemas.ts';
import {
  badgeText,
  explain,
  isMarkedAsAi,
  toJobVerdict,
  toStory,
  toVerdict,
} from '../../../../dashboard/src/job/credentials/verdict.ts';

const AI = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const facts = (fields: Partial<Provenance> = {}): Provenance => ({
  found: 'present',
  credentials: 'kept',
  mark: 'none',
  ...fields,
});

describe('toJobVerdict', () => {
  const image = (fields?: Partial<Provenance>) => (fields ? { provenance: facts(fields) } : {});

  it.each([
    [[image({ found: 'trusted' }), image({ found: 'invalid' })], 'invalid'],
    [[image({ found: 'valid' }), image({ found: 'valid', credentials: 'dropped' })], 'dropped'],
    [[image(), image({ found: 'none', credentials: 'none' })], undefined],
    [[], undefined],
  ])('is the most important verdict on the images %j', (images, verdict) => {
    expect(toJobVerdict(images)).toBe(verdict);
  });
});

describe('toVerdict', () => {
  it.each([
    ['present', 'kept', undefined, 'present'],
    ['present', 'kept', 'trusted', 'kept'],
    ['present', 'kept', 'valid', 'kept'],
    ['present', 'kept', 'invalid', 'invalid'],
    ['present', 'kept', 'present', 'present'],
    ['trusted', 'kept', undefined, 'kept'],
    ['invalid', 'kept', undefined, 'invalid'],
    ['unreadable', 'kept', undefined, 'unreadable'],
    ['too_large', 'kept', undefined, 'unreadable'],
    ['link', 'kept', undefined, 'link'],
    ['trusted', 'resigned', undefined, 'resigned'],
    ['trusted', 'resigned', 'invalid', 'invalid'],
    ['none', 'signed', 'valid', 'signed'],
    ['present', 'dropped', undefined, 'dropped'],
    ['none', 'none', undefined, 'none'],
  ] as const)(
    'of %s credentials that were %s, checked as %s, is %s',
    (found, credentials, checked, verdict) => {
      expect(toVerdict(facts({ found, credentials }), checked)).toBe(verdict);
    },
  );
});

describe('explain', () => {
  it('says why credentials were lost', () => {
    const lost = facts({ credentials: 'dropped', reason: 'converted' });

    expect(explain('dropped', lost)).toBe('The conversion of the image removed the credentials.');
  });
});

describe('badgeText', () => {
  it('names the signer only if the credentials are valid and the signer is trusted', () => {
    const signed = facts({ found: 'trusted', signer: 'Example Maker' });

    expect(badgeText('kept', signed)).toBe('Signed by Example Maker');
    expect(badgeText('kept', { ...signed, found: 'valid' })).toBe('Valid credentials');
    expect(badgeText('invalid', signed)).toBe('Changed');
    expect(badgeText('dropped', signed)).toBe('Credentials lost');
  });

  it('is absent for an image without credentials', () => {
    expect(badgeText('none', facts())).toBeUndefined();
  });
});

describe('isMarkedAsAi', () => {
  it.each([
    ['written', AI, true],
    ['existing', AI.replace('trained', 'compositeWithTrained'), true],
    ['none', AI, false],
    ['existing', AI.replace('trainedAlgorithmicMedia', 'digitalCapture'), false],
    ['written', undefined, false],
  ] as const)('reads the mark %s with the source type %s', (mark, source_type, expected) => {
    expect(isMarkedAsAi(facts({ mark, ...(source_type && { source_type }) }))).toBe(expected);
  });
});

describe('toStory', () => {
  const original: ManifestReport = {
    signer: 'Example Maker',
    generator: 'model 2',
    actions: [{ action: 'c2pa.created', source_type: AI }],
    ingredients: [],
  };

  it('lists the manifest first, and then the manifests inside', () => {
    const story = toStory({
      signer: 'Image Bridge',
      actions: [{ action: 'c2pa.converted' }, { action: 'c2pa.converted' }],
      ingredients: [
        { relationship: 'parentOf', title: 'original.png', manifest: original },
        { relationship: 'inputTo', title: 'lake.jpg' },
      ],
    });

    expect(story.map(({ name, said }) => [name, said])).toEqual([
      ['Image Bridge', ['Converted']],
      ['Example Maker', ['Created: AI, whole image']],
      ['lake.jpg', ['An input of the model, without credentials']],
    ]);
  });

  it('is limited to forty entries', () => {
    const ingredients = Array.from({ length: 100 }, () => ({ relationship: 'componentOf' }));

    expect(toStory({ ...original, ingredients })).toHaveLength(40);
  });

  it('shows an unknown action by its name', () => {
    const [chapter] = toStory({ ...original, actions: [{ action: 'vendor.sharpened' }] });

    expect(chapter?.said).toEqual(['sharpened']);
  });
});
