import { ApiError } from '../../api/api.ts';

/** The ids for which an action succeeded, the ids for which it failed, and the first error. */
export interface Outcome {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly error: ApiError;
}

const AT_ONCE = 6;

/** Runs an action for each job, a few at a time. A failure does not stop the other actions. */
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
        first ??= ApiError.of(error);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, error: first ?? ApiError.unreachable() };
}
