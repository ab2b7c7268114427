import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../dashboard/src/api/api.ts';
import { runForEach } from '../../../../dashboard/src/gallery/actions/run-for-each.ts';

describe('runForEach', () => {
  it('runs for every job, at most six at a time, and continues after a failure', async () => {
    const list = Array.from({ length: 40 }, (_, index) => String(index));
    let running = 0;
    let most = 0;
    const outcome = await runForEach(list, async (id) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (id === '7') throw ApiError.ofReply(409, undefined);
    });
    expect(most).toBe(6);
    expect(outcome.done).toHaveLength(39);
    expect(outcome.failed).toEqual(['7']);
    expect(outcome.error.status).toBe(409);
  });
});
