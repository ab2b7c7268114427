import type { ProviderInput, ProviderRequest } from '../provider-port.ts';

/** The images of a call in the order in which they are sent: the sources, their mask as an image, the references. */
export function sentImages({
  images,
  maskImage,
  references,
}: Pick<ProviderRequest, 'images' | 'maskImage' | 'references'>): readonly ProviderInput[] {
  return [...images, ...(maskImage ? [maskImage] : []), ...references];
}
