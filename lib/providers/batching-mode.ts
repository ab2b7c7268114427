import type { CapabilityDocument } from '../contract/resources/provider.ts';

/** How a request is served that asks for all outputs that one may ask for (specification 2.4). */
export function batchingMode(
  maxOutputs: number,
  outputsPerCall: number,
): CapabilityDocument['batching']['mode'] {
  return maxOutputs > outputsPerCall ? 'fan_out' : 'native';
}
