/** The edge of a mask, in pixels of the source. */
export interface MaskEdge {
  /** The width of the soft edge on each side of the outline. */
  readonly feather: number;
  /** The distance by which the mask is larger than the painted area, or smaller if negative. */
  readonly grow: number;
}

export const NO_EDGE: MaskEdge = { feather: 0, grow: 0 };

/** The limits of the edge, in pixels of the source. */
export const MAX_FEATHER = 128;
export const MAX_GROW = 64;

export function hasEdge({ feather, grow }: MaskEdge): boolean {
  return feather > 0 || grow !== 0;
}
