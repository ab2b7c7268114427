/** The edge of a mask, in pixels of the source. */
export interface MaskEdge {
  /** The width of the soft edge on each side of the outline. */
  readonly feather: number;
  /** The distance by which the mask is larger than the painted area, or smaller if negative. */
  readonly grow: number;
}

export function hasEdge({ feather, grow }: MaskEdge): boolean {
  return feather > 0 || grow !== 0;
}
