/** Resolves with the duration of a call in milliseconds. */
export async function durationOf(call: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await call();
  return performance.now() - startMs;
}

/** Makes calls one after the other. Resolves with their durations in milliseconds. */
export async function durationsOf(
  calls: number,
  call: () => Promise<unknown>,
): Promise<readonly number[]> {
  const durations: number[] = [];
  for (let nth = 0; nth < calls; nth += 1) durations.push(await durationOf(call));
  return durations;
}
