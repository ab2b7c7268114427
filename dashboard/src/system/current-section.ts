/** Where a part lies, from the upper edge of what is seen. */
interface Extent {
  readonly id: string;
  readonly top: number;
  readonly bottom: number;
}

/**
 * The part that somebody looks at: the one that the address names while its beginning is seen, else the first one that is
 * seen. `height` is that of what is seen.
 */
export function currentSection(
  extents: readonly Extent[],
  height: number,
  named: string,
): string | undefined {
  const target = extents.find(({ id }) => id === named);
  if (target && target.top >= -1 && target.top < height) return target.id;
  // A strip at the upper edge does not count as seen.
  return extents.find(({ bottom }) => bottom > height / 8)?.id;
}
