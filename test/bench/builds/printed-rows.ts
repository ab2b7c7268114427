/** One row of the table that a run of the benches prints, with the cells by which builds are compared. */
export interface PrintedRow {
  readonly what: string;
  readonly ours: string;
  readonly against: string;
  /** Figure of the work that it was measured against. */
  readonly gives: string;
  /** Ratio of `ours` to that work in the same run. */
  readonly ratio: string;
  readonly cpuRatio: string;
}

/** The first number of a cell with its unit. */
interface Figure {
  readonly value: number;
  readonly unit: string;
  /** True if more is better, as for a rate per second. */
  readonly isRate: boolean;
}

const HEADINGS = {
  what: 'what',
  ours: 'ours',
  against: 'measured against',
  gives: 'gives',
  ratio: 'ratio',
  cpuRatio: 'ratio of CPU time',
} as const satisfies Record<keyof PrintedRow, string>;

// The lookbehind excludes the 50 of `p50`.
const FIGURE = /(?<![\w.])(-?\d+(?:\.(\d+))?)(k?)(\s?[^\s\d,]+)?/;

// The fewest units of the last printed digit at which one unit is at most a tenth of the figure.
const FINE_FROM = 10;

/** Parses the rows of a printed table. Columns are found by their headings, because builds may differ in them. */
export function parseRows(table: string): readonly PrintedRow[] {
  const lines = table.split('\n').filter((line) => line.startsWith('| '));
  const [headings = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(' | '));
  return rows.map((cells) => {
    const cell = (name: keyof PrintedRow) => cells[headings.indexOf(HEADINGS[name])] ?? '–';
    return {
      what: cell('what'),
      ours: cell('ours'),
      against: cell('against'),
      gives: cell('gives'),
      ratio: cell('ratio'),
      cpuRatio: cell('cpuRatio'),
    };
  });
}

/**
 * Parses the first figure of a cell. Returns undefined if there is none, or if it is not positive and precise enough to
 * compare.
 */
export function parseFigure(cell: string): Figure | undefined {
  const found = FIGURE.exec(cell);
  if (!found || cell.startsWith('failed:')) return undefined;
  const [, number = '', decimals = '', thousands = '', unit = ''] = found;
  if (Number(number) * 10 ** decimals.length < FINE_FROM) return undefined;
  return {
    value: Number(number) * (thousands === 'k' ? 1000 : 1),
    unit: unit.trim(),
    isRate: unit.endsWith('/s'),
  };
}
