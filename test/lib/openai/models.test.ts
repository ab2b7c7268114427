import { describe, expect, it } from 'vitest';
import { models } from './sent.ts';

describe('createModels', () => {
  it('lists each model once, shadowed models by provider and name, and aliases that resolve to a model', () => {
    const listed = models.list().data.map(({ id, owned_by }) => `${id}: ${owned_by}`);

    expect(listed).toEqual([
      'shared: near',
      'small: near',
      'far/shared: far',
      'large: far',
      'dall-e-3: far',
      'dall-e-2: near',
    ]);
  });

  it('returns every listed model by its id', () => {
    for (const model of models.list().data) expect(models.get(model.id)).toEqual(model);
  });

  it('returns a model by its provider and name even if the name is sufficient', () => {
    expect(models.get('near/small')).toMatchObject({ id: 'near/small', owned_by: 'near' });
  });

  it.each(['unknown-model', 'near/large', 'near/', '/small', 'ghost', '', 'constructor'])(
    'throws `not_found` for the model %j',
    (id) => {
      expect(() => models.get(id)).toThrow(expect.objectContaining({ code: 'not_found' }));
    },
  );
});
