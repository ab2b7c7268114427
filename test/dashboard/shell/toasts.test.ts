import { describe, expect, it } from 'vitest';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';

const shown = (toasts: ReturnType<typeof createToasts>) =>
  toasts.list.value.map(({ text }) => text);

describe('createToasts', () => {
  it('keeps the latest four messages', () => {
    const toasts = createToasts();

    for (const text of ['one', 'two', 'three', 'four', 'five']) toasts.show({ kind: 'done', text });

    expect(shown(toasts)).toEqual(['two', 'three', 'four', 'five']);
  });

  it('closes only the message with the given id', () => {
    const toasts = createToasts();
    const first = toasts.show({ kind: 'done', text: 'Hidden' });
    toasts.show({ kind: 'failed', text: 'Refused' });

    toasts.close(first);

    expect(shown(toasts)).toEqual(['Refused']);
  });
});
