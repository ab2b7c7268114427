import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareBuilds } from '../bench/builds/compare-builds.ts';
import { runTool } from '../support/outside-tools.ts';

const BENCH = fileURLToPath(new URL('../../dist/test/bench/main.js', import.meta.url));
const HEAD =
  '| what | ours | measured against | gives | ratio | ratio of CPU time | budget |\n| --- | --- |';

type Cells = readonly [what: string, ours: string, ratio?: string, cpu?: string, gives?: string];

function table(rows: readonly Cells[]): string {
  const lines = rows.map(
    ([what, ours, ratio = '–', cpu = '–', gives = '–']) =>
      `| ${what} | ${ours} | the same | ${gives} | ${ratio} | ${cpu} | < 1 |`,
  );
  return [HEAD, ...lines, '', 'Node v24.0.0, 2 × a processor, 1 rounds.'].join('\n');
}

/** Compares two builds that print these tables, one in each turn. Resolves with what is printed and the turns. */
async function compare(ours: readonly Cells[][], theirs: readonly Cells[][]) {
  const lines: string[] = [];
  const turns: string[] = [];
  const left = { ours: [...ours], theirs: [...theirs] };
  await compareBuilds({
    ours: { name: 'ours' } as const,
    theirs: { name: 'theirs' } as const,
    benches: ['a-bench'],
    rounds: ours.length,
    runBench: async ({ name }) => {
      turns.push(name);
      return table(left[name].shift() ?? []);
    },
    print: (line) => lines.push(line),
  });
  return { lines: lines.slice(2).filter((line) => line !== ''), turns };
}

const once = async (ours: readonly Cells[], theirs: readonly Cells[]) =>
  (await compare([[...ours]], [[...theirs]])).lines;

describe('compareBuilds', () => {
  it('measures in turns, and says the median and the range of the rounds', async () => {
    const rounds = (...figures: readonly string[]) =>
      figures.map((figure): Cells[] => [['a path', figure]]);

    const { lines, turns } = await compare(
      rounds('p50 1.00 ms, p99 9 ms', 'p50 2.00 ms', 'p50 4.00 ms'),
      rounds('p50 1.00 ms', 'p50 1.00 ms', 'p50 5.00 ms'),
    );

    expect(turns).toEqual(['ours', 'theirs', 'theirs', 'ours', 'ours', 'theirs']);
    expect(lines).toEqual([
      '| a path | the same | p50 2.00 ms | p50 1.00 ms | 1.00 (0.80–2.00) | – | – |',
    ]);
  });

  it('turns rates and their ratios round, so that more than 1 always means slower', async () => {
    expect(
      await once([['a path', '5.0k/s', '0.50', '0.40']], [['a path', '10.0k/s', '0.80', '0.80']]),
    ).toEqual([
      '| a path | the same | 5.0k/s | 10.0k/s | 2.00 (2.00–2.00) | 1.60 (1.60–1.60) | 2.00 (2.00–2.00) |',
      'Slower by all of its medians: a path',
    ]);
  });

  it('compares with the same work where a row gives its figure and no ratio', async () => {
    const row = (ours: string, gives: string): Cells[] => [['a path', ours, '–', '–', gives]];

    expect(
      await once(row('p50 3.00 ms', 'p50 2.00 ms'), row('p50 2.00 ms', 'p50 1.00 ms')),
    ).toEqual([
      '| a path | the same | p50 3.00 ms | p50 2.00 ms | 1.50 (1.50–1.50) | 0.75 (0.75–0.75) | – |',
    ]);
  });

  it.each([
    ['has one digit', '0.01 ms', '0.03 ms'],
    ['is zero', '0 MB', '10 MB'],
    ['is negative', '-70 MB', '80 MB'],
    ['has another unit', '12.0 ms', '12.0 s'],
    ['failed', 'failed: Error: 12 of 34', '12.0 ms'],
  ])('gives no ratio of a figure that %s', async (_what, ours, theirs) => {
    expect(await once([['a path', ours]], [['a path', theirs]])).toEqual([
      `| a path | the same | ${ours} | ${theirs} | – | – | – |`,
    ]);
  });

  it('finds a row whose words hold another number, and names the rows of one build alone', async () => {
    const theirs: Cells[] = [
      ['1 connection', '20 MB'],
      ['16 connections', '20 MB'],
      ['a scrape of 1458 series', '20 MB'],
      ['removed', '20 MB'],
    ];

    const lines = await once(
      [
        ['16 connections', '20 MB'],
        ['4 connections', '20 MB'],
        ['a scrape of 1500 series', '20 MB'],
      ],
      theirs,
    );

    expect(lines).toEqual([
      '| 16 connections | the same | 20 MB | 20 MB | 1.00 (1.00–1.00) | – | – |',
      '| a scrape of 1500 series | the same | 20 MB | 20 MB | 1.00 (1.00–1.00) | – | – |',
      'Only in ours: 4 connections',
      'Only in theirs: 1 connection',
      'Only in theirs: removed',
    ]);
  });
});

describe('npm run bench -- --compare', () => {
  it.each([
    [['nonsense'], '--compare nonsense: this checkout has no such commit'],
    [['--all'], '--compare --all: this checkout has no such commit'],
    [['HEAD', '--write'], '--write: a comparison does not go to the performance page'],
  ])('refuses %j', async ([commit = '', ...more], message) => {
    const ended = await runTool(process.execPath, [BENCH, `--compare=${commit}`, ...more]);

    expect(ended).toEqual({ code: 2, output: `bench: ${message}\n` });
  });
});
