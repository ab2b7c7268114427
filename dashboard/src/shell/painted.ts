/** Resolves after the next frame has been painted, or at once if the page is hidden, because a hidden page paints no frames. */
export function painted(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
