import { countImages, lineageOf, type Place } from './family-tree.ts';

const IMAGE_PX = 48;
const BETWEEN_PX = 4;
const NARROWEST_PX = 100;
const COLUMN_GAP_PX = 52;
const ROW_PX = 66;
/** The distance from the top of a place to the middle of its images. */
const MIDDLE_PX = 20;
const EDGE_PX = 6;

/** The position of a place in CSS pixels. */
export interface Box {
  readonly place: Place;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The positions of a tree, and its lines as paths of SVG. */
export interface FamilyLayout {
  readonly boxes: readonly Box[];
  readonly width: number;
  readonly height: number;
  readonly lines: readonly { readonly path: string; readonly isStrong: boolean }[];
}

/** Returns the positions of a tree. The line from the source to the place with the id `here` is strong. */
export function layOut(places: readonly Place[], here: string): FamilyLayout {
  const widths: number[] = [];
  for (const place of places) {
    const width = Math.max(imagesPx(place), NARROWEST_PX);
    widths[place.column] = Math.max(widths[place.column] ?? 0, width);
  }
  const starts = widths.map((_, column) =>
    widths.slice(0, column).reduce((sum, width) => sum + width + COLUMN_GAP_PX, EDGE_PX),
  );
  const leftOf = ({ column }: Place) => starts[column] ?? 0;
  const strong = new Set(lineageOf(places.find(({ id }) => id === here)));
  const lines = places.flatMap((place) => {
    const { parent } = place;
    if (parent === undefined) return [];
    const [fromX, toX] = [leftOf(parent) + imagesPx(parent), leftOf(place)];
    const [fromY, toY] = [parent, place].map(({ row }) => row * ROW_PX + MIDDLE_PX);
    const bendX = toX - COLUMN_GAP_PX / 2;
    return [{ path: `M${fromX} ${fromY}H${bendX}V${toY}H${toX}`, isStrong: strong.has(place) }];
  });
  const rows = Math.max(0, ...places.map(({ row }) => row + 1));
  return {
    boxes: places.map((place) => ({
      place,
      left: leftOf(place),
      top: place.row * ROW_PX,
      width: widths[place.column] ?? 0,
    })),
    width: (starts.at(-1) ?? 0) + (widths.at(-1) ?? 0) + EDGE_PX,
    height: rows * ROW_PX,
    // A strong line is drawn over the others.
    lines: lines.toSorted((one, two) => Number(one.isStrong) - Number(two.isStrong)),
  };
}

function imagesPx(place: Place): number {
  return countImages(place) * (IMAGE_PX + BETWEEN_PX) - BETWEEN_PX;
}
