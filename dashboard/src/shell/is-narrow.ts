/** Returns true if the window has one column, so that an open layer covers the whole page. The style sheets use the same width. */
export function isNarrow(): boolean {
  return window.matchMedia('(max-width: 899px)').matches;
}
