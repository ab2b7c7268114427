import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { type Api, ApiError } from '../../../dashboard/src/api/api.ts';
import { createResending } from '../../../dashboard/src/connection/resending.ts';
import { createJobs } from '../../../dashboard/src/jobs/jobs.ts';
import { createSubmissions } from '../../../dashboard/src/make/submissions.ts';
import { createToasts } from '../../../dashboard/src/shell/toasts.ts';
import { JOB_ID } from '../support/job-detail.ts';

type Post = { params: { header: { 'idempotency-key': string } } };

/** Creates a bridge that handles the submissions one after the other with these replies. Its list cannot be read. */
function bridgeWith(...replies: readonly ('accepted' | ApiError)[]) {
  const keys: string[] = [];
  const paths: string[] = [];
  const returns = signal(0);
  const api = {
    async POST(path: string, { params }: Post) {
      const reply = replies[keys.length];
      paths.push(path);
      keys.push(params.header['idempotency-key']);
      if (reply instanceof ApiError) {
        // The bridge is reachable again at once.
        setImmediate(() => {
          returns.value += 1;
        });
        throw reply;
      }
      return { data: { id: JOB_ID }, response: new Response() };
    },
    GET: () => Promise.reject(ApiError.unreachable()),
  } as unknown as Api;
  const { untilAnswered } = createResending({
    connection: { returns, token: signal(undefined), caller: signal(undefined) },
    toasts: createToasts(),
  });
  const submissions = createSubmissions(api, createJobs(api, untilAnswered), untilAnswered);
  return { keys, paths, submissions };
}

describe('createSubmissions', () => {
  it('resolves with the accepted job even if the list cannot be read', async () => {
    const { submissions } = bridgeWith('accepted');

    await expect(submissions.submit({ prompt: 'A fox' })).resolves.toEqual({ id: JOB_ID });
  });

  it('sends a request again with the same key until the bridge answers', async () => {
    const { keys, submissions } = bridgeWith(
      ApiError.unreachable(),
      ApiError.unreachable(),
      'accepted',
    );

    await submissions.submit({ prompt: 'A fox' });

    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('uses a new key for each submission', async () => {
    const { keys, submissions } = bridgeWith('accepted', 'accepted');

    await submissions.submit({ prompt: 'A fox' });
    await submissions.submit({ prompt: 'A fox' });

    expect(new Set(keys).size).toBe(2);
  });

  it('needs no crypto.randomUUID, which a page on plain http does not have', async () => {
    const getRandomValues = crypto.getRandomValues.bind(crypto);
    vi.stubGlobal('crypto', { getRandomValues });
    const { keys, submissions } = bridgeWith('accepted');

    await submissions.submit({ prompt: 'A fox' }).finally(() => vi.unstubAllGlobals());

    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('retries a job with a key of its own, which stays the same after the connection broke', async () => {
    const { keys, paths, submissions } = bridgeWith(ApiError.unreachable(), 'accepted');

    await submissions.retry(JOB_ID);

    expect(paths).toEqual(['/v1/jobs/{id}/retry', '/v1/jobs/{id}/retry']);
    expect(new Set(keys).size).toBe(1);
  });

  it('does not repeat a request that the bridge rejected', async () => {
    const refusal = ApiError.ofReply(422, undefined);
    const { keys, submissions } = bridgeWith(refusal);

    await expect(submissions.submit({ prompt: 'A fox' })).rejects.toBe(refusal);
    expect(keys).toHaveLength(1);
  });
});
