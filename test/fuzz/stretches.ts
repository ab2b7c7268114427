/** The longest permitted time for which one turn of the event loop computes. */
export const MAX_STRETCH_MS = 50;

/** Reports that the event loop was blocked. Counts only if the same input blocks it again, because a first call may load code. */
export class StretchError extends Error {}

/** Returns the CPU time of this thread, in milliseconds. Other processes of a busy machine do not change it. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Runs `work` and returns its result. Throws if `work` computes longer than a turn of the event loop may. */
export function withinStretch<T>(work: () => T): T {
  const beganMs = threadCpuMs();
  const result = work();
  const tookMs = threadCpuMs() - beganMs;
  if (tookMs > MAX_STRETCH_MS)
    throw new StretchError(`computes ${Math.round(tookMs)} ms without a pause`);
  return result;
}
