/** The times of a task call in milliseconds. Tests use shorter times. */
export interface TaskTiming {
  /** Wait before the first poll. */
  readonly firstPollMs: number;
  readonly longestPollMs: number;
  /** The longest wait before a poll that a service may request. After a longer wait, the end of a paid task could be missed. */
  readonly longestAskedMs: number;
  /** Maximum time of one read. A slower read counts as a lost connection. */
  readonly readMs: number;
  /** Time after an abort in which the task is cancelled and its end is awaited. */
  readonly afterAbortMs: number;
  /** Wait before the second try to fetch an image. Each further wait is twice as long. */
  readonly refetchMs: number;
  /** Maximum time of all tries to fetch one image. */
  readonly fetchMs: number;
}

export const TASK_TIMING: TaskTiming = {
  firstPollMs: 500,
  longestPollMs: 5000,
  longestAskedMs: 60_000,
  readMs: 30_000,
  afterAbortMs: 5000,
  refetchMs: 1000,
  fetchMs: 60_000,
};

const POLL_GROWTH = 1.5;

/** Returns the wait before the next poll, after a wait of `previousMs`. */
export function nextPollMs(previousMs: number, { longestPollMs }: TaskTiming): number {
  return Math.min(previousMs * POLL_GROWTH, longestPollMs);
}
