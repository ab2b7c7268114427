/** One row of the table that a run of the benches prints, as far as builds are compared by it. */
export interface PrintedRow {
  readonly what: string;
  readonly ours: string;
  readonly against: string;
  /** The figure of what it was measured against. */
  readonly gives: string;
  /** The ratio of `ours` to what it was measured against in the same run. */
  readonly ratio: string;
  readonly cpuRatio: string;
}

/** The first number of a cell with its unit. */
interface Figure {
  readonly value: number;
  readonly unit: string;
  /** True if more is better: something per second. */
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

// Not the 50 of `p50`.
const FIGURE = /(?<![\w.])(-?\d+(?:\.(\d+))?)(k?)(\s?[^\s\d,]+)?/;

// The last printed digit of fewer than these is more than a tenth.
const FINE_FROM = 10;

/** Parses the rows of a printed table. The columns are found by their headings, because builds may differ in them. */
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

/** Parses the first figure of a cell. Undefined if there is none, or none that is positive and fine enough to compare. */
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
