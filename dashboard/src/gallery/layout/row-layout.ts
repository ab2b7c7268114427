/** What the layout needs to know of a card. */
export interface Shape {
  readonly id: string;
  /** Width by height. */
  readonly ratio: number;
  /** The beginning of its day, in Unix milliseconds. */
  readonly day: number;
}

/** The space that rows fill; all values in CSS pixels. */
export interface Frame {
  readonly width: number;
  /** What a row is high before it is stretched or shrunk to the width. */
  readonly rowHeight: number;
  readonly gap: number;
  /** Over the rows of each day. */
  readonly heading: number;
}

export interface PlacedTile {
  readonly id: string;
  readonly left: number;
  readonly width: number;
}

export interface Row {
  readonly top: number;
  readonly height: number;
  readonly tiles: readonly PlacedTile[];
}

export interface Day {
  readonly day: number;
  readonly top: number;
  /** With its heading. */
  readonly height: number;
  /** Of all rows, those from `firstRow` to before `endRow`. */
  readonly firstRow: number;
  readonly endRow: number;
}

export interface Layout {
  readonly days: readonly Day[];
  readonly rows: readonly Row[];
  readonly height: number;
  /** The index of the row that a card is in, by id. */
  readonly rowOf: ReadonlyMap<string, number>;
}

/** A last row is stretched to the width when it fills this part of it. */
const NEARLY_FULL = 0.8;

/**
 * Justified rows in reading order, a heading before each day. All cards of a row have one height; every row but the last
 * of a day has exactly the width. What is appended never changes rows before the last one.
 */
export function layoutRows(shapes: readonly Shape[], frame: Frame): Layout {
  const days: Day[] = [];
  const rows: Row[] = [];
  const rowOf = new Map<string, number>();
  let top = 0;
  for (let from = 0; from < shapes.length; ) {
    const to = endOfDay(shapes, from);
    const begin = { day: shapes[from]?.day ?? 0, top, firstRow: rows.length };
    top += frame.heading;
    while (from < to) {
      const end = endOfRow(shapes, from, to, frame);
      const members = shapes.slice(from, end);
      const row = placeRow(members, frame, top, end === to);
      for (const { id } of members) rowOf.set(id, rows.length);
      rows.push(row);
      top += row.height + frame.gap;
      from = end;
    }
    days.push({ ...begin, height: top - begin.top, endRow: rows.length });
  }
  return { days, rows, height: top, rowOf };
}

function endOfDay(shapes: readonly Shape[], from: number): number {
  let to = from + 1;
  while (to < shapes.length && shapes[to]?.day === shapes[from]?.day) to += 1;
  return to;
}

/** Where the row that begins at `from` ends: with or without the card that makes it full, whichever is nearer in height. */
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

/** The height of a row whose cards fill the width. */
function heightOf(ratios: number, count: number, { width, gap }: Frame): number {
  return ratios === 0 ? Number.POSITIVE_INFINITY : (width - gap * (count - 1)) / ratios;
}

function placeRow(members: readonly Shape[], frame: Frame, top: number, isLast: boolean): Row {
  const ratios = members.reduce((sum, { ratio }) => sum + ratio, 0);
  const justified = heightOf(ratios, members.length, frame);
  const isFull = !isLast || justified * NEARLY_FULL <= frame.rowHeight;
  const exact = isFull ? justified : frame.rowHeight;
  // Edges lie on whole pixels, and the last one on the edge of the frame.
  let edge = 0;
  const tiles = members.map(({ id, ratio }) => {
    const left = Math.round(edge);
    edge += ratio * exact;
    const width = Math.max(1, Math.round(edge) - left);
    edge += frame.gap;
    return { id, left, width };
  });
  return { top, height: Math.max(1, Math.round(exact)), tiles };
}
