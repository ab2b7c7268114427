/** The images of a call, in whatever form. */
interface CallImages<Image> {
  readonly images: readonly Image[];
  readonly maskImage?: Image;
  readonly references: readonly Image[];
}

/** The images of a call in the order in which they are sent: the sources, their mask as an image, the references. */
export function sentImages<Image>({
  images,
  maskImage,
  references,
}: CallImages<Image>): readonly Image[] {
  return [...images, ...(maskImage ? [maskImage] : []), ...references];
}
