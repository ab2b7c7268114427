/** The most images on the light table. */
export const MAX_IMAGES = 9;

/** Returns the path of the light table with the images of these jobs. */
export function tablePath(ids: readonly string[]): string {
  return `/table?jobs=${ids.join(',')}`;
}
