interface Point {
  /** Unix milliseconds. */
  readonly at: number;
  readonly value: number;
}

export interface Frame {
  /** The times at the left and right edges, in Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  /** The highest value on the axis. The value at the lower edge is 0. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The height left free above the value `top`, in the unit of `height`. */
  readonly above?: number;
  /** The maximum time between two points, in milliseconds. A longer gap interrupts the line. */
  readonly gap?: number;
}

/** Returns the SVG paths of a step line and of the area below the line. */
export function toStepLine(points: readonly Point[], frame: Frame) {
  const { from, to, top, width, height, above = 0, gap = Number.POSITIVE_INFINITY } = frame;
  const x = (at: number) => round((Math.max(0, at - from) / (to - from)) * width);
  const y = (value: number) => round(height - (value / top) * (height - above));
  let line = '';
  let area = '';
  for (const run of toRuns(points, gap)) {
    const [first, ...rest] = run;
    if (first === undefined) continue;
    const last = run.at(-1) ?? first;
    const end = to - last.at > gap ? last.at : to;
    // A run that ends before the left edge is not drawn.
    if (end <= from) continue;
    const steps = rest.map(({ at, value }) => `H${x(at)}V${y(value)}`).join('');
    const path = `${y(first.value)}${steps}H${x(end)}`;
    line += `M${x(first.at)} ${path}`;
    area += `M${x(first.at)} ${height}V${path}V${height}Z`;
  }
  return { line, area };
}

/** Splits the points into runs at each gap that is longer than `gap` milliseconds. */
function toRuns(points: readonly Point[], gap: number): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run === undefined || before === undefined || point.at - before.at > gap) runs.push([point]);
    else run.push(point);
  }
  return runs;
}

/** Rounds up to 1, 2, 4, 6, 10, 20, 40 and so on. The values have halves that are easy to read. */
export function toScaleTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 4, 6, 10].find((step) => step * power >= value) ?? 10) * power;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
