import { BridgeError } from '../errors/bridge-error.ts';
import type { NegotiatedRequest } from './negotiation.ts';

/**
 * Refuses what the contract has and this version has not. The list shrinks with every version; what stands on it is
 * answered at its field, so that nothing of a request is ever silently ignored. Throws `unsupported_capability`.
 */
export function refuseUnbuilt({ transparency }: NegotiatedRequest): void {
  const unbuilt: readonly (readonly [field: string, isAsked: boolean])[] = [
    ['parameters.background', transparency.kind === 'chroma_key'],
  ];
  const asked = unbuilt.find(([, isAsked]) => isAsked);
  if (!asked) return;
  const [field] = asked;
  throw new BridgeError('unsupported_capability', 'this version of the bridge cannot do that yet', {
    param: field,
    details: { field, reason: 'not_in_this_version' },
  });
}
