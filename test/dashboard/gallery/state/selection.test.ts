import { expect, it } from 'vitest';
import { createSelection } from '../../../../dashboard/src/gallery/state/selection.ts';

const LIST = ['a', 'b', 'c', 'd', 'e'];

it('a second press deselects a card and keeps the selection active', () => {
  const selection = createSelection();
  selection.toggle('a');
  selection.toggle('c');
  selection.toggle('a');
  expect([...selection.ids.value]).toEqual(['c']);
  expect(selection.active.value).toBe(true);
});

it('a range starts at the last selected card, can shrink, and keeps earlier selections', () => {
  const selection = createSelection();
  selection.toggle('e');
  selection.toggle('b');
  selection.extend(LIST, undefined, 'd');
  expect([...selection.ids.value].toSorted()).toEqual(['b', 'c', 'd', 'e']);
  selection.extend(LIST, undefined, 'c');
  expect([...selection.ids.value].toSorted()).toEqual(['b', 'c', 'e']);
  selection.extend(LIST, undefined, 'a');
  expect([...selection.ids.value].toSorted()).toEqual(['a', 'b', 'e']);
});

it('a range without a selection starts at the focused card', () => {
  const selection = createSelection();
  selection.extend(LIST, 'b', 'c');
  expect([...selection.ids.value]).toEqual(['b', 'c']);
});

it('a removed card is deselected, and the next range starts at the focused card', () => {
  const selection = createSelection();
  selection.all(LIST);
  selection.keep(['a', 'e']);
  expect([...selection.ids.value]).toEqual(['a', 'e']);
  selection.clear();
  selection.toggle('c');
  selection.keep(['a', 'e']);
  selection.extend(['a', 'e'], 'a', 'e');
  expect([...selection.ids.value]).toEqual(['a', 'e']);
});

it('a card of several jobs is selected with all its jobs, as one card and as an end of a range', () => {
  const selection = createSelection((card) => (card === 'b' ? ['b', 'c', 'd'] : [card]));
  selection.toggle('b');
  expect([...selection.ids.value]).toEqual(['b', 'c', 'd']);
  selection.toggle('b');
  expect([...selection.ids.value]).toEqual([]);
  selection.clear();
  selection.extend(LIST, 'a', 'b');
  expect([...selection.ids.value]).toEqual(['a', 'b', 'c', 'd']);
  selection.clear();
  selection.extend(LIST, 'b', 'a');
  expect([...selection.ids.value]).toEqual(['a', 'b', 'c', 'd']);
});

it('clearing the selection makes it inactive', () => {
  const selection = createSelection();
  selection.start();
  expect(selection.active.value).toBe(true);
  selection.all(LIST);
  selection.clear();
  expect(selection.ids.value.size).toBe(0);
  expect(selection.active.value).toBe(false);
});
