/** A canvas that is not shown. */
export function createLayer(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return contextOf(canvas);
}

/** Throws when the browser has no memory for it. */
export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser has no memory for a canvas');
  return context;
}

/** Throws when the browser has no memory for it. */
export function patternOf(tile: CanvasRenderingContext2D): CanvasPattern {
  const pattern = tile.createPattern(tile.canvas, 'repeat');
  if (pattern === null) throw new Error('the browser has no memory for a pattern');
  return pattern;
}
