import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../lib/errors/bridge-error.ts';
import { callersNames, toCallersError } from '../../../lib/openai/field-names.ts';

const nameOf = callersNames([
  { theirs: 'image', ours: 'images' },
  { theirs: 'image', ours: 'images' },
  { theirs: 'first', ours: 'images[0]' },
]);

describe('callersNames', () => {
  it.each([
    ['images', 'image'],
    ['images[1].url', 'image[1].url'],
    ['images[0]', 'first'],
    ['images[0].url', 'first.url'],
    ['images_of_mine', 'images_of_mine'],
    ['', ''],
  ])('renames %j to %j', (ours, theirs) => {
    expect(nameOf(ours)).toBe(theirs);
  });
});

describe('toCallersError', () => {
  it('renames the fields that an error names, at any depth', () => {
    const error = new BridgeError('input', 'images cannot be used', {
      param: 'images[0]',
      provider: 'images',
      details: {
        field: 'images[0].url',
        fields: ['images', 'mask'],
        reason: 'images',
        count: 2,
        issues: [{ field: 'images', code: 'images' }],
      },
    });

    expect(toCallersError(error, nameOf)).toMatchObject({
      message: 'images cannot be used',
      code: 'input',
      param: 'first',
      provider: 'images',
      details: {
        field: 'first.url',
        fields: ['image', 'mask'],
        reason: 'images',
        count: 2,
        issues: [{ field: 'image', code: 'images' }],
      },
    });
  });

  it('returns errors of other kinds unchanged', () => {
    const thrown = new Error('images');

    expect(toCallersError(thrown, nameOf)).toBe(thrown);
  });

  it('adds no field name to an error that names none', () => {
    const error = new BridgeError('upstream', 'failed');

    expect(toCallersError(error, nameOf)).toMatchObject({ param: null, details: {} });
  });
});
