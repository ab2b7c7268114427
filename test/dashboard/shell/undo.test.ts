import { describe, expect, it } from 'vitest';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';
import { createUndo } from '../../../dashboard/src/shell/undo.ts';

/** Creates two actions, one after the other, and a list of the reverted ones. */
function twoDone() {
  const toasts = createToasts();
  const undo = createUndo(toasts);
  const reverted: string[] = [];
  for (const name of ['first', 'second']) undo.offer(name, () => reverted.push(name));
  const press = (name: string) =>
    toasts.list.value.find(({ text }) => text === name)?.action?.run();
  return { toasts, undo, reverted, press };
}

describe('createUndo', () => {
  it('reverts the latest action first', () => {
    const { toasts, undo, reverted } = twoDone();

    undo.undo();
    undo.undo();
    undo.undo();

    expect(reverted).toEqual(['second', 'first']);
    expect(toasts.list.value).toEqual([]);
  });

  it('forgets earlier actions and closes their messages when it is cleared', () => {
    const { toasts, undo, reverted } = twoDone();
    toasts.show({ kind: 'failed', text: 'another' });

    undo.clear();
    undo.undo();

    expect(reverted).toEqual([]);
    expect(toasts.list.value.map(({ text }) => text)).toEqual(['another']);
  });

  it('reverts the action of the pressed message, whatever was done since', () => {
    const { toasts, undo, reverted, press } = twoDone();

    press('first');

    expect(reverted).toEqual(['first']);
    expect(toasts.list.value.map(({ text }) => text)).toEqual(['second']);
    undo.undo();
    expect(reverted).toEqual(['first', 'second']);
  });
});
