/** Creates a canvas that is not part of the document. */
export function createLayer(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return contextOf(canvas);
}

/** Returns the context of a canvas. Throws if the browser lacks memory for it. */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('not enough memory for a canvas');
  return context;
}

/** Returns a repeating pattern. Throws if the browser lacks memory for it. */
export function patternOf(tile: CanvasRenderingContext2D): CanvasPattern {
  const pattern = tile.createPattern(tile.canvas, 'repeat');
  if (pattern === null) throw new Error('not enough memory for a pattern');
  return pattern;
}
