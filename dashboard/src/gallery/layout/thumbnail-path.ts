const EDGES = [256, 512, 1024, 2048] as const;

/** Returns the path of a thumbnail that is sharp on this screen in a box of the given size in CSS pixels. */
export function thumbnailPath(
  artifactId: string,
  width: number,
  height: number,
  density: number,
): string {
  const pixels = Math.max(width, height) * density;
  const edge = EDGES.find((each) => each >= pixels) ?? 2048;
  return `/v1/artifacts/${artifactId}/thumbnail?edge=${edge}`;
}
