import { ApiError } from '../../api/api-error.ts';

/** The ids for which it was done, and those for which it was not, with the first error. */
export interface Outcome {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly error: ApiError;
}

const AT_ONCE = 6;

/** Does something to each of the jobs, a few at once. What fails does not stop the others. */
export async function runForEach<T extends { readonly id: string }>(
  list: readonly T[],
  run: (job: T) => Promise<void>,
): Promise<Outcome> {
  const done: string[] = [];
  const failed: string[] = [];
  let first: ApiError | undefined;
  const waiting = list.values();
  async function work(): Promise<void> {
    for (const job of waiting) {
      try {
        await run(job);
        done.push(job.id);
      } catch (error) {
        failed.push(job.id);
        first ??= error instanceof ApiError ? error : ApiError.unreachable();
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, error: first ?? ApiError.unreachable() };
}
