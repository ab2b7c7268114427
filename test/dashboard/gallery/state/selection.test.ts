import { expect, it } from 'vitest';
import { createSelection } from '../../../../dashboard/src/gallery/state/selection.ts';

const LIST = ['a', 'b', 'c', 'd', 'e'];

it('a choice is taken back by the same press, and choosing continues', () => {
  const selection = createSelection();
  selection.toggle('a');
  selection.toggle('c');
  selection.toggle('a');
  expect([...selection.ids.value]).toEqual(['c']);
  expect(selection.active.value).toBe(true);
});

it('a range reaches from the last choice, shrinks again, and keeps what was chosen before', () => {
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

it('a range without a choice begins at the focused card', () => {
  const selection = createSelection();
  selection.extend(LIST, 'b', 'c');
  expect([...selection.ids.value]).toEqual(['b', 'c']);
});

it('what was removed is chosen no longer, and a range begins anew', () => {
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

it('clearing ends choosing', () => {
  const selection = createSelection();
  selection.start();
  expect(selection.active.value).toBe(true);
  selection.all(LIST);
  selection.clear();
  expect(selection.ids.value.size).toBe(0);
  expect(selection.active.value).toBe(false);
});
