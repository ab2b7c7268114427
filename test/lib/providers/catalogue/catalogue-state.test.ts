import { describe, expect, it } from 'vitest';
import {
  afterAnswer,
  type CatalogueState,
  emptyCatalogue,
  LEAVES_AFTER_MS,
  withoutModel,
} from '../../../../lib/providers/catalogue/catalogue-state.ts';

const answerOf = (...names: readonly string[]) => new Map(names.map((name) => [name, `${name}!`]));

function catalogueOf(...names: readonly string[]): CatalogueState<string> {
  const state = afterAnswer(emptyCatalogue<string>(), answerOf(...names), 0);
  if (!state) throw new Error('the answer is empty');
  return state;
}

function namesOf(state: CatalogueState<string> | undefined) {
  return state && [...state.models.keys()].sort();
}

describe('afterAnswer', () => {
  it('takes over new models and new facts', () => {
    const next = afterAnswer(
      catalogueOf('a', 'b'),
      new Map([...answerOf('b', 'c'), ['a', 'new']]),
      5,
    );

    expect(namesOf(next)).toEqual(['a', 'b', 'c']);
    expect(next?.models.get('a')).toBe('new');
    expect(next?.checkedAtMs).toBe(5);
  });

  it('keeps a model that only one answer misses', () => {
    const once = afterAnswer(catalogueOf('a', 'b', 'c'), answerOf('a', 'b'), 1000);

    expect(namesOf(once)).toEqual(['a', 'b', 'c']);
    expect(once?.missingSinceMs.get('c')).toBe(1000);
    expect(once?.models.get('c')).toBe('c!');
  });

  it('keeps a model that two answers less than an hour apart miss', () => {
    const once = afterAnswer(catalogueOf('a', 'b', 'c'), answerOf('a', 'b'), 1000);
    const twice = once && afterAnswer(once, answerOf('a', 'b'), 1000 + LEAVES_AFTER_MS - 1);

    expect(namesOf(twice)).toEqual(['a', 'b', 'c']);
    expect(twice?.missingSinceMs.get('c')).toBe(1000);
  });

  it('removes a model that two answers an hour apart miss', () => {
    const once = afterAnswer(catalogueOf('a', 'b', 'c'), answerOf('a', 'b'), 1000);
    const twice = once && afterAnswer(once, answerOf('a', 'b'), 1000 + LEAVES_AFTER_MS);

    expect(namesOf(twice)).toEqual(['a', 'b']);
    expect(twice?.missingSinceMs.size).toBe(0);
  });

  it('forgets that a model was missing as soon as an answer lists the model', () => {
    const once = afterAnswer(catalogueOf('a', 'b', 'c'), answerOf('a', 'b'), 1000);
    const back = once && afterAnswer(once, answerOf('a', 'b', 'c'), LEAVES_AFTER_MS);
    const again = back && afterAnswer(back, answerOf('a', 'b'), 2 * LEAVES_AFTER_MS);

    expect(back?.missingSinceMs.size).toBe(0);
    expect(namesOf(again)).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['nothing', []],
    ['less than half of the models', ['a', 'x', 'y', 'z']],
  ] as const)('returns undefined for an answer that lists %s', (_, names) => {
    expect(afterAnswer(catalogueOf('a', 'b', 'c'), answerOf(...names), 1000)).toBeUndefined();
  });

  it('accepts half of the models', () => {
    expect(namesOf(afterAnswer(catalogueOf('a', 'b'), answerOf('a'), 1000))).toEqual(['a', 'b']);
  });
});

describe('withoutModel', () => {
  it('removes one model and keeps the others', () => {
    const state = catalogueOf('a', 'b');

    expect(namesOf(withoutModel(state, 'a'))).toEqual(['b']);
    expect(namesOf(state)).toEqual(['a', 'b']);
  });
});
