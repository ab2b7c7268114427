import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../dashboard/src/api/api.ts';
import { attempt, createToasts } from '../../../dashboard/src/shell/toasts.ts';

describe('attempt', () => {
  it.each([
    ['no reply came', ApiError.unreachable(), 'No connection'],
    ['the connection broke within a reply', new TypeError('network error'), 'No connection'],
    [
      'a file could not be written',
      new DOMException('full', 'QuotaExceededError'),
      'The browser could not do this',
    ],
  ])('shows the failure if %s', async (_what, error, title) => {
    const toasts = createToasts();

    await attempt(toasts, () => Promise.reject(error));

    expect(toasts.list.value).toMatchObject([{ kind: 'failed', text: title }]);
  });
});
