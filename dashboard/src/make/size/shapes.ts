import type { Capabilities } from '../../api/schemas.ts';

/** A shape of images in the size picker. */
export interface Shape {
  /** The ratio in small whole numbers, for example "3:2". */
  readonly name: string;
  /** Width divided by height. */
  readonly ratio: number;
  /** The sizes that the model supports in this shape, in the form WxH, smallest first. */
  readonly sizes: readonly string[];
}

const SHAPES = ['1:1', '3:2', '2:3', '16:9', '9:16'] as const;
/** The tolerance when two ratios are compared, because widths and heights are rounded to a multiple of some pixels. */
const TOLERANCE = 0.03;
/** The edges, in pixels, of squares with the areas of the offered sizes, if a model supports any size. */
const EDGES = [1024, 1536, 2048] as const;

type Sizes = Capabilities['sizes'];

/** Returns the five shapes that are always shown, and any other shapes that a model lists. */
export function toShapes(sizes: Sizes): readonly Shape[] {
  const listed = sizes.allowed.map(parseSize).filter((each) => each !== undefined);
  const shapes = SHAPES.map((name) => {
    const ratio = toRatio(name);
    const inShape = listed
      .filter((size) => isNear(size.width / size.height, ratio))
      .map(({ width, height }) => toSize(width, height));
    return { name, ratio, sizes: sizes.arbitrary ? stepsOf(ratio, sizes) : bySize(inShape) };
  });
  const others = listed.filter(
    ({ width, height }) => !shapes.some(({ ratio }) => isNear(width / height, ratio)),
  );
  return [
    ...shapes,
    ...others.map(({ width, height }) => ({
      name: simplify(width, height),
      ratio: width / height,
      sizes: [toSize(width, height)],
    })),
  ];
}

export function shapeOf(size: string, shapes: readonly Shape[]): Shape | undefined {
  const parsed = parseSize(size);
  if (parsed === undefined) return undefined;
  const { width, height } = parsed;
  return (
    shapes.find(({ sizes }) => sizes.includes(size)) ??
    shapes.find(({ ratio }) => isNear(width / height, ratio))
  );
}

/** Parses a size in the form WxH. Returns undefined for `auto` and for any other text. */
export function parseSize(
  size: string,
): { readonly width: number; readonly height: number } | undefined {
  const match = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(size);
  return match ? { width: Number(match[1]), height: Number(match[2]) } : undefined;
}

/** Returns the reason why a model does not support a custom size, or undefined if the model supports the size. */
export function sizeFault(width: number, height: number, sizes: Sizes): SizeFault | undefined {
  const { min_edge: min = 1, max_edge: max = 16384, edge_multiple: multiple = 1 } = sizes;
  if (Math.min(width, height) < min) return { fault: 'small', limit: min };
  if (Math.max(width, height) > max) return { fault: 'large', limit: max };
  if (width % multiple > 0 || height % multiple > 0) return { fault: 'multiple', limit: multiple };
  const pixels = width * height;
  if (pixels > (sizes.max_pixels ?? Number.POSITIVE_INFINITY))
    return { fault: 'many', limit: sizes.max_pixels ?? 0 };
  if (pixels < (sizes.min_pixels ?? 0)) return { fault: 'few', limit: sizes.min_pixels ?? 0 };
  const ratio = Math.max(width / height, height / width);
  if (ratio > (sizes.max_aspect_ratio ?? Number.POSITIVE_INFINITY)) {
    return { fault: 'long', limit: sizes.max_aspect_ratio ?? 0 };
  }
  return undefined;
}

export interface SizeFault {
  readonly fault: 'small' | 'large' | 'multiple' | 'many' | 'few' | 'long';
  readonly limit: number;
}

/** Returns the offered sizes of one shape that are within the limits of the model, in ascending order. */
function stepsOf(ratio: number, sizes: Sizes): readonly string[] {
  const multiple = Math.max(sizes.edge_multiple ?? 1, 16);
  const round = (edge: number) => Math.round(edge / multiple) * multiple;
  return EDGES.map((edge) => {
    const width = round(edge * Math.sqrt(ratio));
    return { width, height: round(width / ratio) };
  })
    .filter(({ width, height }) => sizeFault(width, height, sizes) === undefined)
    .map(({ width, height }) => toSize(width, height));
}

function bySize(sizes: readonly string[]): readonly string[] {
  const pixels = (size: string) => {
    const { width, height } = parseSize(size) ?? { width: 0, height: 0 };
    return width * height;
  };
  return sizes.toSorted((a, b) => pixels(a) - pixels(b));
}

function toRatio(name: string): number {
  const [width = 1, height = 1] = name.split(':').map(Number);
  return width / height;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(Math.log(a / b)) < TOLERANCE;
}

function toSize(width: number, height: number): string {
  return `${width}x${height}`;
}

function simplify(width: number, height: number): string {
  const divisor = gcd(width, height);
  return `${width / divisor}:${height / divisor}`;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
