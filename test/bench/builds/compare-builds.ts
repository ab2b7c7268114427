import { median, withRange } from '../measure/statistics.ts';
import { type PrintedRow, parseFigure, parseRows } from './printed-rows.ts';

interface Deps<Build extends { readonly name: string }> {
  readonly ours: Build;
  readonly theirs: Build;
  /** Names of the benches to run. */
  readonly benches: readonly string[];
  /** Number of measurements of each build, in turns. */
  readonly rounds: number;
  /** Runs one bench of a build once. Resolves with the table that it prints. */
  readonly runBench: (build: Build, bench: string) => Promise<string>;
  readonly print: (line: string) => void;
}

/** The same row of both builds in one round. */
interface Pair {
  readonly ours: PrintedRow;
  readonly theirs: PrintedRow;
}

interface Matched {
  /** Pairs, one for each round. */
  readonly pairs: readonly Pair[];
}

type Rounds = readonly (readonly PrintedRow[])[];

/**
 * The ways in which a row compares two builds: by its figures, by the ratios of its figures to the same work without the
 * bridge, measured within the same seconds, and by the ratios of CPU time to that work.
 */
const RATIOS: readonly (readonly [heading: string, cell: 'ours' | 'ratio' | 'cpuRatio'])[] = [
  ['ratio', 'ours'],
  ['beside the same work', 'ratio'],
  ['CPU time beside it', 'cpuRatio'],
];

const SLOWER = 1.1;

/**
 * Measures two builds in turns, bench by bench, and prints a table of ratios. Each ratio is the cost in our build divided by
 * the cost in the other build. Above 1, our build is slower or needs more, for rates too.
 */
export async function compareBuilds<Build extends { readonly name: string }>({
  ours,
  theirs,
  benches,
  rounds,
  runBench,
  print,
}: Deps<Build>): Promise<void> {
  const notes: string[] = [];
  const headings = ['what', 'measured against', ours.name, theirs.name];
  const columns = [...headings, ...RATIOS.map(([heading]) => heading)];
  print(toLine(columns));
  print(toLine(columns.map(() => '---')));
  for (const bench of benches) {
    const ourRounds: (readonly PrintedRow[])[] = [];
    const theirRounds: (readonly PrintedRow[])[] = [];
    const runOurs = async () => ourRounds.push(parseRows(await runBench(ours, bench)));
    const runTheirs = async () => theirRounds.push(parseRows(await runBench(theirs, bench)));
    for (let round = 0; round < rounds; round += 1) {
      // Each round begins with the build that was measured last, so that drift of the machine favours neither build.
      for (const run of round % 2 === 0 ? [runOurs, runTheirs] : [runTheirs, runOurs]) await run();
    }
    for (const { pairs } of matchRows(ourRounds, theirRounds)) {
      const ratios = RATIOS.map(([, cell]) => pairs.flatMap((pair) => costRatio(pair, cell) ?? []));
      const [first] = pairs;
      const cells = [
        first?.ours.what ?? bench,
        first?.ours.against ?? '–',
        middle(pairs.map((pair) => pair.ours.ours)),
        middle(pairs.map((pair) => pair.theirs.ours)),
        ...ratios.map((values) => (values.length === 0 ? '–' : withRange(values))),
      ];
      print(toLine(cells));
      const compared = ratios.filter((values) => values.length > 0);
      if (compared.length > 0 && compared.every((values) => median(values) > SLOWER)) {
        notes.push(`Slower by all of its medians: ${first?.ours.what}`);
      }
    }
    notes.push(
      ...onlyIn(ourRounds, theirRounds).map((what) => `Only in ${ours.name}: ${what}`),
      ...onlyIn(theirRounds, ourRounds).map((what) => `Only in ${theirs.name}: ${what}`),
    );
  }
  print('');
  for (const note of notes) print(note);
}

/** Returns each row of the first rounds that is also in the second rounds, as often as both printed it. */
function matchRows(ours: Rounds, theirs: Rounds): readonly Matched[] {
  const [first = []] = ours;
  return first.flatMap((row) => {
    const pairs = ours.flatMap((rows, round) => {
      const our = findRow(row, rows, first);
      const their = findRow(row, theirs[round] ?? [], first);
      return our && their ? [{ ours: our, theirs: their }] : [];
    });
    return pairs.length === 0 ? [] : [{ pairs }];
  });
}

function onlyIn(these: Rounds, others: Rounds): readonly string[] {
  const [rows = []] = these;
  const [otherRows = []] = others;
  return rows.filter((row) => !findRow(row, otherRows, rows)).map(({ what }) => what);
}

/**
 * Finds a row by its words. A number among the words may be a measure, such as a count of series. Without an equal row, it
 * returns a row that differs only in its numbers, unless that row belongs to another row of the same build.
 */
function findRow(
  wanted: PrintedRow,
  rows: readonly PrintedRow[],
  siblings: readonly PrintedRow[],
): PrintedRow | undefined {
  const exact = rows.find((row) => wordsOf(row) === wordsOf(wanted));
  if (exact) return exact;
  const taken = new Set(siblings.map(wordsOf));
  const loose = (row: PrintedRow) => wordsOf(row).replaceAll(/[\d.]+/g, '#');
  const similar = rows.filter((row) => loose(row) === loose(wanted) && !taken.has(wordsOf(row)));
  return similar.length === 1 ? similar[0] : undefined;
}

function wordsOf({ what, against }: PrintedRow): string {
  return `${what} | ${against}`;
}

/** Returns the ratio of two cells. Undefined if one of them has no figure, or too few digits. */
function costRatio({ ours, theirs }: Pair, cell: 'ours' | 'ratio' | 'cpuRatio') {
  const [our, their] = [figureIn(ours, cell), figureIn(theirs, cell)];
  if (!our || !their || our.unit !== their.unit) return undefined;
  return parseFigure(ours.ours)?.isRate ? their.value / our.value : our.value / their.value;
}

/** Returns the figure of a cell. A row without a ratio gets one if the work that it was measured against has a figure. */
function figureIn(row: PrintedRow, cell: 'ours' | 'ratio' | 'cpuRatio') {
  const figure = parseFigure(row[cell]);
  if (figure || cell !== 'ratio') return figure;
  const [our, same] = [parseFigure(row.ours), parseFigure(row.gives)];
  return our && our.unit === same?.unit ? { value: our.value / same.value, unit: '' } : undefined;
}

/** Returns the cell with the median figure. */
function middle(cells: readonly string[]): string {
  const figureOf = (cell: string) => parseFigure(cell)?.value ?? 0;
  const sorted = [...cells].sort((a, b) => figureOf(a) - figureOf(b));
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? '–';
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
