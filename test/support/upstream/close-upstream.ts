import type { Calls } from './calls.ts';

/** Resolves when no call is running. Throws errors of the emulator itself. */
export async function closeUpstream(
  listener: { close(): Promise<void> },
  calls: Calls,
): Promise<void> {
  await listener.close();
  await calls.until(() => calls.byOutcome().open === 0);
  const failures = calls.failures();
  if (failures.length > 0) throw new AggregateError(failures, 'the emulator has failed');
}
