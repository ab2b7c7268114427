import type { Routing } from './routing.ts';

/** The name of the bridge as the provider of a job. The settings reject this name for any other provider. */
export const OWN_PROVIDER = 'image-bridge';
/** The model that a job of a crop names. */
export const CROP_MODEL = 'crop';

/** The part of a request that says who makes its images. */
export interface Routed {
  readonly routing: Pick<Routing, 'provider'>;
}

/** Returns true if the bridge makes the images of the request without a model, so that nothing is charged for them. */
export function isOwnWork({ routing }: Routed): boolean {
  return routing.provider === OWN_PROVIDER;
}

/** Returns the number of images that a job charges to the allowance. The stores charge the same number (`CHARGED_OUTPUTS`). */
export function chargedImages(
  request: Routed & { readonly parameters: { readonly n: number } },
): number {
  return isOwnWork(request) ? 0 : request.parameters.n;
}
