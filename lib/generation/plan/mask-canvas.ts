import type { CapabilityDocument } from '../../contract/resources/provider.ts';
import type { Canvas } from '../../images/image.ts';
import { type Edges, isSupported, listedSizes, pixels } from './nearest-size.ts';

type Sizes = CapabilityDocument['sizes'];

/** A size that the model supports, and how large the image is on it. */
interface Fit {
  readonly canvas: Edges;
  readonly image: Edges;
}

/**
 * The smallest size that the model supports and that holds the image, with the image in its middle. The image is scaled
 * down only where no size holds it as it is. A model without sizes gets the image as it is. Undefined when no size of the
 * model can hold anything.
 */
export function maskCanvas(sizes: Sizes, image: Edges): Canvas | undefined {
  if (!hasSizes(sizes)) return centred({ canvas: image, image });
  const listed = listedSizes(sizes).map(({ edges }) => scaledInto(edges, image));
  const free = freeFit(sizes, image);
  const [best] = [...listed, ...(free ? [free] : [])].sort(
    (a, b) => pixels(b.image) - pixels(a.image) || pixels(a.canvas) - pixels(b.canvas),
  );
  return best && centred(best);
}

/** Whether a call can name the size of a canvas; else the model chooses one itself. */
export function hasSizes({ arbitrary, allowed }: Sizes): boolean {
  return arbitrary || allowed.length > 0;
}

function centred({ canvas, image }: Fit): Canvas {
  const left = Math.floor((canvas.width - image.width) / 2);
  const top = Math.floor((canvas.height - image.height) / 2);
  return { ...canvas, area: { left, top, ...image } };
}

function scaledInto(canvas: Edges, image: Edges): Fit {
  const scale = Math.min(1, canvas.width / image.width, canvas.height / image.height);
  return { canvas, image: scaled(image, scale) };
}

/** At least one pixel each way. */
function scaled({ width, height }: Edges, scale: number): Edges {
  return {
    width: Math.max(1, Math.floor(width * scale)),
    height: Math.max(1, Math.floor(height * scale)),
  };
}

/** In the range of a model that supports arbitrary sizes: by bisection, the largest image that some size holds. */
function freeFit(sizes: Sizes, image: Edges): Fit | undefined {
  if (!sizes.arbitrary) return undefined;
  const longest = Math.max(image.width, image.height);
  let best: Fit | undefined;
  for (let low = 1, high = longest, edge = longest; low <= high; edge = (low + high) >> 1) {
    const smaller = edge === longest ? image : scaled(image, edge / longest);
    const canvas = smallestHolding(sizes, smaller);
    if (canvas) {
      best = { canvas, image: smaller };
      low = edge + 1;
    } else {
      high = edge - 1;
    }
  }
  return best;
}

/** The smallest size in the range that holds the image; undefined when there is none. */
function smallestHolding(sizes: Sizes, image: Edges): Edges | undefined {
  const { min_edge = 1, edge_multiple = 1, min_pixels = 1, max_aspect_ratio = Infinity } = sizes;
  const up = (edge: number) => Math.ceil(Math.max(edge, min_edge) / edge_multiple) * edge_multiple;
  const shortest = Math.max(image.width, image.height) / max_aspect_ratio;
  const shaped = {
    width: Math.max(image.width, shortest),
    height: Math.max(image.height, shortest),
  };
  const growth = Math.max(1, Math.sqrt(min_pixels / pixels(shaped)));
  const width = up(shaped.width * growth);
  const height = up(shaped.height * growth);
  return isSupported(sizes, `${width}x${height}`) ? { width, height } : undefined;
}
