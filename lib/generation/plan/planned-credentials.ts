import type { PlannedRoute } from '../../contract/reply/image-plan.ts';
import type { Plan } from './plan.ts';

/**
 * Returns what would happen to valid credentials of the images that a provider returns. `signs` is true if the bridge has a
 * certificate.
 */
export function plannedCredentials(
  { ask, finish }: Plan,
  signs: boolean,
): NonNullable<PlannedRoute['credentials']> {
  const { matte, providerFormat, encoding, embedsRecord } = finish;
  const isRedrawn =
    ask.mask !== undefined || matte !== undefined || providerFormat !== encoding.format;
  if (isRedrawn) return signs ? 'would_resign' : 'would_drop';
  return embedsRecord && signs ? 'would_resign' : 'would_keep';
}
