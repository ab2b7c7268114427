/** Resolves after the next frame has been painted, or at once if the page is hidden, because a hidden page paints no frames. */
export function painted(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  // The callback runs before the frame is painted, and the timer after it.
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
