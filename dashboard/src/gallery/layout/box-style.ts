/** The place of a box in its container, in CSS pixels. */
export function boxStyle(left: number, top: number, width: number, height: number) {
  return {
    transform: `translate(${left}px, ${top}px)`,
    inlineSize: `${width}px`,
    blockSize: `${height}px`,
  };
}
