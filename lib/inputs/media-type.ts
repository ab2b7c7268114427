/** Whether two media types mean the same. `image/jpg` means `image/jpeg`. */
export function isSameType(one: string, other: string): boolean {
  return canonical(one) === canonical(other);
}

function canonical(mediaType: string): string {
  const lower = mediaType.toLowerCase();
  return lower === 'image/jpg' ? 'image/jpeg' : lower;
}
