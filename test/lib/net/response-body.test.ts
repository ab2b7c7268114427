import { describe, expect, it, vi } from 'vitest';
import { createResponseBody } from '../../../lib/net/response-body.ts';

/** Opens a body that has paused its source, and that waits for the next chunk after this one. */
async function openPaused() {
  const source = { pause: vi.fn(), resume: vi.fn(), abort: vi.fn() };
  const paced: (() => void)[] = [];
  const body = createResponseBody(source, {
    pace: (resume) => void paced.push(resume),
    onClose: () => {},
  });
  body.push(Buffer.alloc(65_536));
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  const next = chunks.next();
  await vi.waitUntil(() => paced.length > 0);
  return { body, source, paced, next };
}

describe('createResponseBody', () => {
  it('resumes its source when the pace allows', async () => {
    const { body, source, paced, next } = await openPaused();
    expect(source.pause).toHaveBeenCalledOnce();
    expect(source.resume).not.toHaveBeenCalled();

    for (const resume of paced) resume();
    body.push(Buffer.from('more'));

    expect(source.resume).toHaveBeenCalledOnce();
    expect(String((await next).value)).toBe('more');
  });

  it('does not resume its source once the body was destroyed', async () => {
    const { body, source, paced, next } = await openPaused();

    body.destroy();
    for (const resume of paced) resume();

    await expect(next).rejects.toThrow('cancelled');
    expect(source.resume).not.toHaveBeenCalled();
  });
});
