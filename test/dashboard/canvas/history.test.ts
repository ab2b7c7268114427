import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { createHistory } from '../../../dashboard/src/canvas/history.ts';
import { createPlane, type Rect } from '../../../dashboard/src/canvas/plane.ts';

/** The plane has two columns of tiles and one row. */
const WIDTH = 512;
const HEIGHT = 256;
const TILE_BYTES = 256 * 256;

function setUp(maxBytes?: number) {
  const plane = createPlane(WIDTH, HEIGHT);
  const state = signal('first');
  const history = createHistory({ plane, state, ...(maxBytes === undefined ? {} : { maxBytes }) });
  const fill = (rect: Rect) => {
    history.begin();
    history.touch(rect);
    plane.fill(rect, 'brush');
    history.commit();
  };
  const set = (next: string, key?: string) => {
    history.begin();
    state.value = next;
    history.commit(key);
  };
  return { plane, state, history, fill, set };
}

const LEFT: Rect = { x: 0, y: 0, width: 256, height: 256 };
const SMALL: Rect = { x: 300, y: 10, width: 10, height: 10 };

describe('createHistory', () => {
  it('reverts steps and repeats them in order, with the tiles that they changed', () => {
    const { plane, history, fill } = setUp();
    fill(LEFT);
    fill(SMALL);
    const both = plane.share();

    expect(history.undo()).toEqual({ x: 256, y: 0, width: 256, height: 256 });
    expect(plane.share()).toBe(0.5);
    expect(history.undo()).toEqual(LEFT);
    expect(plane.share()).toBe(0);
    expect(history.canUndo()).toBe(false);
    history.redo();
    history.redo();

    expect(plane.share()).toBe(both);
    expect(history.canRedo()).toBe(false);
  });

  it('reverts pixels and the state in the order in which they were changed', () => {
    const { plane, state, history, fill, set } = setUp();
    set('second');
    fill(SMALL);
    set('third');

    history.undo();
    expect([state.value, plane.share() > 0]).toEqual(['second', true]);
    history.undo();
    expect([state.value, plane.share()]).toEqual(['second', 0]);
    history.undo();
    expect(state.value).toBe('first');
    history.redo();
    expect(state.value).toBe('second');
  });

  it('joins changes with the same key that follow each other', () => {
    const { state, history, set } = setUp();
    set('second', 'feather');
    set('third', 'feather');
    set('fourth', 'grow');

    history.undo();
    expect(state.value).toBe('third');
    history.undo();

    expect(state.value).toBe('first');
    expect(history.canUndo()).toBe(false);
  });

  it('stores nothing if nothing has changed', () => {
    const { history, fill } = setUp();
    history.begin();
    history.touch(LEFT);
    history.commit();

    expect(history.canUndo()).toBe(false);
    fill(SMALL);
    fill(SMALL);
    history.undo();
    expect(history.canUndo()).toBe(false);
  });

  it('discards reverted steps after a new change', () => {
    const { history, fill } = setUp();
    fill(LEFT);
    history.undo();

    fill(SMALL);

    expect(history.canRedo()).toBe(false);
    expect(history.redo()).toBeUndefined();
  });

  it('reverts a change that never became a step', () => {
    const { plane, history } = setUp();
    history.begin();
    history.touch(SMALL);
    plane.fill(SMALL, 'brush');

    history.abandon();

    expect(plane.share()).toBe(0);
    expect(history.canUndo()).toBe(false);
  });

  it('discards the oldest steps when the memory is full, but never the last', () => {
    const { plane, history, fill } = setUp(TILE_BYTES);
    fill(LEFT);
    fill(SMALL);
    fill({ ...SMALL, y: 100 });

    history.undo();

    expect(plane.share()).toBeGreaterThan(0.5);
    expect(history.canUndo()).toBe(false);
  });
});
