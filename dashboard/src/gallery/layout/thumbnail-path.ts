const EDGES = [256, 512, 1024, 2048] as const;

/** The path of an image's thumbnail that is sharp in a box of this size, in CSS pixels, on this screen. */
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
