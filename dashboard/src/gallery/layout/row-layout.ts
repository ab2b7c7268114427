import type { JobSummary } from '../../api/schemas.ts';
import { shownArtifacts } from '../../jobs/image-marks.ts';
import { isOpen } from '../../jobs/job-state.ts';

/** The facts about a card that the layout uses. */
export interface Shape {
  readonly id: string;
  /** Width divided by height. */
  readonly ratio: number;
  /** The start of the day on which the job was created, in Unix milliseconds. */
  readonly day: number;
  /** True if the card has nothing to show, because its job was cancelled while it waited. */
  readonly isEmpty?: boolean;
  /** The number of jobs that share the card. Absent if the card has one job. */
  readonly count?: number;
}

/** The space that the rows fill. All values are CSS pixels. */
export interface Frame {
  readonly width: number;
  /** The target height of a row, before the row is scaled to the full width. */
  readonly rowHeight: number;
  readonly gap: number;
  /** The height of the heading above the rows of each day. */
  readonly heading: number;
}

/** The place of a card in its row, in CSS pixels. */
interface PlacedTile {
  readonly id: string;
  readonly left: number;
  readonly width: number;
  /** The number of jobs that share the card. Absent if the card has one job. */
  readonly count?: number;
}

/** A row of cards. */
export interface Row {
  readonly top: number;
  readonly height: number;
  /** The index of the first card of the row. `end` is the index after the last card. */
  readonly first: number;
  readonly end: number;
}

export interface Day {
  readonly day: number;
  readonly top: number;
  /** The height of the day's rows and heading, in CSS pixels. */
  readonly height: number;
  /** The index of the first row of the day. `endRow` is the index after the last row. */
  readonly firstRow: number;
  readonly endRow: number;
}

/** The cards are kept in plain lists, and placed by `tilesOf`, because a long gallery has many cards of which few are shown. */
export interface Layout {
  readonly frame: Frame;
  readonly days: readonly Day[];
  readonly rows: readonly Row[];
  readonly height: number;
  /** The ids of the cards, in reading order. */
  readonly ids: readonly string[];
  /** The widths of the cards, in CSS pixels. */
  readonly widths: readonly number[];
  /** The numbers of jobs of the cards that several jobs share, by card id. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The rows of a day that are filled from the last card upwards. */
export interface UpwardRows {
  /** The indexes after the last card of each row. */
  readonly ends: readonly number[];
  /** True if no card of the day is missing. The first row may then be narrower than the width. */
  readonly isWhole: boolean;
}

/** Returns the rows of a day. Undefined if the rows are filled from the first card. */
type UpwardRowsOf = (shapes: readonly Shape[], from: number, to: number) => UpwardRows | undefined;

/** If the last row of a day fills at least this fraction of the width, the row is stretched to the full width. */
const NEARLY_FULL = 0.8;

/**
 * Lays out justified rows in reading order, with a heading before each day. Every row except the last row of a day
 * fills the width. Appending cards changes at most the last row. `upwardRowsOf` returns the rows of the days that are laid out from the
 * last card upwards.
 */
export function layoutRows(
  shapes: readonly Shape[],
  frame: Frame,
  upwardRowsOf?: UpwardRowsOf,
): Layout {
  const days: Day[] = [];
  const rows: Row[] = [];
  const widths: number[] = [];
  let top = 0;
  for (let from = 0; from < shapes.length; ) {
    const to = endOfDay(shapes, from);
    const begin = { day: shapes[from]?.day ?? 0, top, firstRow: rows.length };
    const upward = upwardRowsOf?.(shapes, from, to);
    top += frame.heading;
    while (from < to) {
      const nth = rows.length - begin.firstRow;
      const end = upward ? (upward.ends[nth] ?? to) : endOfRow(shapes, from, to, frame);
      const isOpen = upward ? upward.isWhole && nth === 0 : end === to;
      const members = shapes.slice(from, end);
      const exact = exactHeight(members, frame, isOpen);
      widths.push(...widthsOf(members, exact, frame));
      const height = Math.max(1, Math.round(exact));
      rows.push({ top, height, first: from, end });
      top += height + frame.gap;
      from = end;
    }
    days.push({ ...begin, height: top - begin.top, endRow: rows.length });
  }
  const ids = shapes.map(({ id }) => id);
  const counts = new Map(
    shapes.flatMap(({ id, count }) => (count === undefined ? [] : [[id, count] as const])),
  );
  return { frame, days, rows, height: top, ids, widths, counts };
}

function endOfDay(shapes: readonly Shape[], from: number): number {
  let to = from + 1;
  while (to < shapes.length && shapes[to]?.day === shapes[from]?.day) to += 1;
  return to;
}

/**
 * Returns the index after the last card of the row that starts at `from`. The row ends where its height is nearest to
 * the target height.
 */
function endOfRow(shapes: readonly Shape[], from: number, to: number, frame: Frame): number {
  let ratios = 0;
  for (let at = from; at < to; at += 1) {
    const without = heightOf(ratios, at - from, frame);
    ratios += shapes[at]?.ratio ?? 1;
    const height = heightOf(ratios, at - from + 1, frame);
    if (height > frame.rowHeight) continue;
    const isNearer = frame.rowHeight - height <= without - frame.rowHeight;
    return at === from || isNearer ? at + 1 : at;
  }
  return to;
}

/** Returns the height of a row whose cards fill the width, in CSS pixels. `ratios` is the sum of the cards' ratios. */
export function heightOf(ratios: number, count: number, { width, gap }: Frame): number {
  return ratios === 0 ? Number.POSITIVE_INFINITY : (width - gap * (count - 1)) / ratios;
}

/** Returns the height of a row in CSS pixels, before the height is rounded. An open row is stretched only if it is nearly full. */
function exactHeight(members: readonly Shape[], frame: Frame, isOpen: boolean): number {
  const ratios = members.reduce((sum, { ratio }) => sum + ratio, 0);
  const justified = heightOf(ratios, members.length, frame);
  const isFull = !isOpen || justified * NEARLY_FULL <= frame.rowHeight;
  return isFull ? justified : frame.rowHeight;
}

/** Returns the widths of the cards of a row, in CSS pixels. */
function widthsOf(members: readonly Shape[], height: number, { gap }: Frame): readonly number[] {
  // Cards begin and end at whole pixels, and the last card of a full row ends at the edge of the frame.
  let [left, edge] = [0, 0];
  return members.map(({ ratio }) => {
    edge += ratio * height;
    const width = Math.max(1, Math.round(edge) - left);
    left += width + gap;
    edge += gap;
    return width;
  });
}

/** Returns the places of the cards of a row, in reading order. */
export function tilesOf(
  { ids, widths, counts, frame }: Layout,
  row: Row | undefined,
): readonly PlacedTile[] {
  if (row === undefined) return [];
  const { first, end } = row;
  let left = 0;
  return ids.slice(first, end).map((id, nth) => {
    const [width, count] = [widths[first + nth] ?? 1, counts.get(id)];
    const tile = { id, left, width, ...(count !== undefined && { count }) };
    left += width + frame.gap;
    return tile;
  });
}

/** Returns the index of the row of a card. Undefined if the layout does not have the card. */
export function rowOf({ ids, rows }: Layout, id: string): number | undefined {
  const at = ids.indexOf(id);
  return at < 0 ? undefined : rows.findIndex(({ end }) => at < end);
}

/** Row height and gap by minimum window width `from`. All values are CSS pixels. */
const STEPS = [
  { from: 3000, rowHeight: 320, gap: 8 },
  { from: 1920, rowHeight: 236, gap: 8 },
  { from: 900, rowHeight: 190, gap: 6 },
  { from: 600, rowHeight: 168, gap: 6 },
  { from: 0, rowHeight: 128, gap: 4 },
] as const;

export const HEADING = 38;

/** Returns the frame of the rows for a window. `scale` is chosen by the user and ignored on narrow screens. */
export function rowFrame(windowWidth: number, width: number, scale: number): Frame {
  const { rowHeight, gap } = STEPS.find(({ from }) => windowWidth >= from) ?? STEPS[4];
  const factor = windowWidth >= 900 ? scale : 1;
  return { width, rowHeight: Math.round(rowHeight * factor), gap, heading: HEADING };
}

/** The ratio (width divided by height) of a card without an image, or with an image of unknown size. */
const UNKNOWN = 3 / 2;
const NARROWEST = 1 / 2;
const WIDEST = 3;

/**
 * Returns the ratio (width divided by height) of a job's card. An open job has the planned ratio. If the model chooses
 * the size, the job has the ratio `unfinished` of its unfinished image, or a default ratio before the first unfinished image.
 */
export function tileRatio(job: JobSummary, unfinished = UNKNOWN): number {
  const images = shownArtifacts(job);
  const [first] = images;
  if (first) return clamp(mosaicRatio(first.width / first.height, images.length));
  if (!isOpen(job)) return UNKNOWN;
  return clamp(mosaicRatio(plannedRatio(job.size) ?? unfinished, job.outputs));
}

/** Returns the ratio (width divided by height) of a mosaic. The mosaic of three images has one large image. */
function mosaicRatio(ratio: number, count: number): number {
  if (count === 2) return ratio * 2;
  return count === 3 ? ratio * 1.5 : ratio;
}

function plannedRatio(size: string): number | undefined {
  const [width = 0, height = 0] = size.split('x').map(Number);
  return width > 0 && height > 0 ? width / height : undefined;
}

function clamp(ratio: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, ratio));
}

export type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

/** Returns the card to which a key moves the focus. Up and down lead to the nearest card in the adjacent row. */
export function neighbour(layout: Layout, id: string, direction: Direction): string | undefined {
  const { rows, ids } = layout;
  if (direction === 'first') return ids.at(0);
  if (direction === 'last') return ids.at(-1);
  const at = ids.indexOf(id);
  if (at < 0) return undefined;
  if (direction === 'left') return ids[at - 1];
  if (direction === 'right') return ids[at + 1];
  const row = rowOf(layout, id) ?? -1;
  const tile = tilesOf(layout, rows[row]).find((each) => each.id === id);
  const others = tilesOf(layout, rows[direction === 'up' ? row - 1 : row + 1]);
  return tile && nearest(others, middle(tile))?.id;
}

function nearest(tiles: readonly PlacedTile[], x: number): PlacedTile | undefined {
  const distance = (tile: PlacedTile) => Math.abs(middle(tile) - x);
  return tiles.toSorted((a, b) => distance(a) - distance(b))[0];
}

function middle({ left, width }: PlacedTile): number {
  return left + width / 2;
}

/** Returns the style for the position of a box in its container, in CSS pixels. */
export function boxStyle(left: number, top: number, width: number, height: number) {
  return {
    transform: `translate(${left}px, ${top}px)`,
    inlineSize: `${width}px`,
    blockSize: `${height}px`,
  };
}
