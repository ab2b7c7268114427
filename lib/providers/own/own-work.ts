import type { Routing } from '../../contract/request/routing.ts';

/** The name of the bridge as the provider of a job. The settings cannot give the name to another provider. */
export const OWN_PROVIDER = 'image-bridge';
/** The model that a job of a crop names. */
export const CROP_MODEL = 'crop';

/** Returns true if the bridge makes the images of the request without a model, so that nothing is charged for them. */
export function isOwnWork({ routing }: { readonly routing: Pick<Routing, 'provider'> }): boolean {
  return routing.provider === OWN_PROVIDER;
}
