import type { Config } from '../config/settings/settings.ts';
import { silentMetrics } from '../metrics/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { createIds } from '../platform/ids.ts';
import { createTimeSlices } from '../platform/time-slices.ts';
import { openCredentials } from './credentials.ts';
import { FEW_DAYS, tryOutSigning } from './signing-trial.ts';

/** The result of a check. The warning is present if a certificate expires soon. */
interface SigningCheck {
  /** Days until the first certificate expires. Undefined if no image is signed. */
  readonly days: number | undefined;
  readonly warning?: string;
}

/**
 * Checks the files of `provenance` as a start does: reads them, signs a small image and validates the result. Throws
 * `configuration` if a start would fail.
 */
export async function checkSigning(
  { provenance: settings, images: limits }: Pick<Config, 'provenance' | 'images'>,
  clock: Clock,
): Promise<SigningCheck> {
  const credentials = openCredentials({
    settings,
    limits,
    clock,
    slices: createTimeSlices(clock),
    log: { failure: () => {} },
    metrics: silentMetrics,
    newId: createIds(clock.nowMs).newOpaqueId,
    version: 'trial',
  });
  try {
    const days = await tryOutSigning(credentials, clock, new AbortController().signal);
    if (days === undefined || days >= FEW_DAYS) return { days };
    return { days, warning: `a certificate expires in ${days} days` };
  } finally {
    await credentials.close();
  }
}
