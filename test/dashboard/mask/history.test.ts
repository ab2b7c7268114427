import { describe, expect, it } from 'vitest';
import { createHistory } from '../../../dashboard/src/mask/history.ts';
import { createPlane, type Rect } from '../../../dashboard/src/mask/plane.ts';

function setUp(maxBytes?: number) {
  const plane = createPlane(10, 10);
  const history = createHistory(plane, maxBytes);
  const fill = (rect: Rect) => {
    history.begin();
    plane.fill(rect, 'brush');
    history.commit(rect);
  };
  return { plane, history, fill };
}

const ROW: Rect = { x: 0, y: 0, width: 10, height: 1 };

describe('createHistory', () => {
  it('reverts steps and repeats them in order', () => {
    const { plane, history, fill } = setUp();
    fill(ROW);
    fill({ ...ROW, height: 5 });

    expect(history.undo()).toEqual({ ...ROW, height: 5 });
    expect(plane.share()).toBe(0.1);
    history.undo();
    expect(plane.share()).toBe(0);
    expect(history.canUndo()).toBe(false);
    history.redo();
    history.redo();

    expect(plane.share()).toBe(0.5);
    expect(history.canRedo()).toBe(false);
    expect(history.undo()).toEqual({ ...ROW, height: 5 });
  });

  it('discards reverted steps after a new change', () => {
    const { history, fill } = setUp();
    fill(ROW);
    history.undo();

    fill({ ...ROW, y: 4 });

    expect(history.canRedo()).toBe(false);
    expect(history.redo()).toBeUndefined();
  });

  it('reverts a change that never became a step', () => {
    const { plane, history } = setUp();
    history.begin();
    plane.fill(ROW, 'brush');

    history.abandon(ROW);

    expect(plane.share()).toBe(0);
    expect(history.canUndo()).toBe(false);
  });

  it('discards the oldest steps when the memory is full, but never the last', () => {
    const { plane, history, fill } = setUp(25);
    fill(ROW);
    fill({ ...ROW, y: 1 });
    fill({ ...ROW, y: 2 });
    fill({ x: 0, y: 0, width: 10, height: 10 });

    history.undo();

    expect(plane.share()).toBeCloseTo(0.3);
    expect(history.canUndo()).toBe(false);
  });
});
