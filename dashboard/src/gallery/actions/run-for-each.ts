import { ApiError } from '../../api/api.ts';

/** The ids for which an action succeeded, the ids for which it failed, and the first error. */
export interface Outcome {
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly error: ApiError;
}

const AT_ONCE = 6;

/** Runs an action for each id, a few at a time. A failure does not stop the other actions. */
export async function runForEach(
  ids: readonly string[],
  run: (id: string) => Promise<void>,
): Promise<Outcome> {
  const done: string[] = [];
  const failed: string[] = [];
  let first: ApiError | undefined;
  const waiting = ids.values();
  async function work(): Promise<void> {
    for (const id of waiting) {
      try {
        await run(id);
        done.push(id);
      } catch (error) {
        failed.push(id);
        first ??= ApiError.of(error);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done, failed, error: first ?? ApiError.unreachable() };
}
