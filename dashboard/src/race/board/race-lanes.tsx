import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { rowArrows } from '../../controls/reading-order.ts';
import { usePage } from '../../page-context.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { formatNumber, text } from '../../text/text.ts';
import { columnOrder } from './column-order.ts';
import { createPace } from './pace.ts';
import { isWinner, originOf, type RaceBoard, type RaceTable, tally } from './race-board.ts';
import { RaceCell } from './race-cell.tsx';
import { moneyTexts } from './race-money.ts';

/** The minimum time between two unfinished images of all cells together. */
const PARTIAL_GAP_MS = 250;

interface Props {
  readonly board: RaceBoard;
  readonly mayChange: boolean;
}

/** A column in the order in which it is shown. */
interface Lane {
  /** The column in the group. */
  readonly column: number;
  readonly name: string;
  readonly provider: string;
}

/**
 * Shows the table of a race. The keys 1 to 9 choose the winner of the row that has the focus, and arrow keys move through the cells.
 */
export function RaceLanes({ board, mayChange }: Props) {
  const { value: table } = board.table;
  // Before, a place may have a job that the page does not know.
  const isWhole = board.isLoaded.value && !board.isMore.value;
  const lanes = useLanes(board, table);
  const grid = useRef<HTMLDivElement>(null);
  const pace = useMemo(() => createPace(PARTIAL_GAP_MS), []);
  useEffect(() => pace.close, [pace]);
  const [announced, setAnnounced] = useState('');
  useLaneKeys({ grid, table, lanes, choose });

  function choose(row: number, lane: number): void {
    const cell = table.rows[row]?.cells[lanes[lane]?.column ?? -1];
    if (!mayChange || cell?.job === undefined || cell.job.artifacts.length === 0) return;
    const key = isWinner(cell) ? 'race.unchosen' : 'race.chosen';
    setAnnounced(text(key, { name: lanes[lane]?.name ?? '', number: row + 1 }));
    void board.choose(cell);
  }

  return (
    <div ref={grid} class="lanes scroll">
      <p class="sr" role="status">
        {announced}
      </p>
      <table style={{ '--lanes': lanes.length }}>
        <thead>
          <tr>
            {lanes.map(({ column, name, provider }, index) => (
              <th key={column} scope="col">
                <span class="lane-head row">
                  <kbd class="only-wide">{index + 1}</kbd>
                  <b class="cut">{name}</b>
                </span>
                <small class="cut">{provider}</small>
              </th>
            ))}
          </tr>
        </thead>
        {table.rows.map(({ prompt, cells }, row) => (
          <tbody key={row} data-row={row}>
            <tr class="lane-row">
              <th scope="rowgroup" colSpan={Math.max(1, lanes.length)}>
                {table.differences.parts[row] !== undefined && (
                  <mark>{table.differences.parts[row]}</mark>
                )}
                <span class="cut">{prompt}</span>
              </th>
            </tr>
            <tr>
              {lanes.map(({ column, name }, index) => {
                const cell = cells[column];
                return (
                  <td key={column}>
                    {cell && (
                      <RaceCell
                        {...{ cell, name, pace, mayChange }}
                        raceId={board.id}
                        origin={isWhole ? originOf(table, row, column) : undefined}
                        number={index + 1}
                        onChoose={() => choose(row, index)}
                      />
                    )}
                  </td>
                );
              })}
            </tr>
          </tbody>
        ))}
        <tfoot>
          <tr>
            {lanes.map(({ column }) => (
              <td key={column}>
                <LaneSum board={board} column={column} />
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function LaneSum({ board, column }: { readonly board: RaceBoard; readonly column: number }) {
  const cells = board.table.value.rows.flatMap((row) => row.cells[column] ?? []);
  const { all, done, failed, wins, meanSecs } = tally(cells);
  const seconds = formatNumber(Math.round((meanSecs ?? 0) * 10) / 10);
  const facts = [
    ...moneyTexts(cells, board.costs.value),
    ...(meanSecs === undefined ? [] : [text('race.seconds.each', { seconds })]),
  ];
  return (
    <span class="lane-sum num stack">
      <b>{text('race.wins', { count: wins })}</b>
      <span>
        {text('race.of', { done, all })}
        {failed > 0 && `${text('list.separator')}${text('race.failed', { count: failed })}`}
      </span>
      {facts.length > 0 && <span>{facts.join(text('list.separator'))}</span>}
    </span>
  );
}

/** Returns the columns with their names. While names are hidden, the columns are numbered in another order. */
function useLanes({ id }: RaceBoard, table: RaceTable): readonly Lane[] {
  const { race, providers } = usePage();
  const isHidden = race.hidesNames.value && !isDecided(table);
  const order = isHidden
    ? columnOrder(id, table.columns.length)
    : table.columns.map((_, column) => column);
  return order.map((column, index) => {
    const racer = table.columns[column];
    if (isHidden || racer === undefined) {
      return { column, name: text('race.model', { number: index + 1 }), provider: ' ' };
    }
    const provider = providers.list.value?.find(({ name }) => name === racer.provider);
    return { column, name: racer.model, provider: provider?.display_name ?? racer.provider };
  });
}

/** Returns true if each row with images has a winner. */
function isDecided({ rows }: RaceTable): boolean {
  const drawn = rows.filter(({ cells }) =>
    cells.some(({ job }) => job && job.artifacts.length > 0),
  );
  return drawn.length > 0 && drawn.every(({ cells }) => cells.some(isWinner));
}

interface Keys {
  readonly grid: { readonly current: HTMLDivElement | null };
  readonly table: RaceTable;
  readonly lanes: readonly Lane[];
  readonly choose: (row: number, lane: number) => void;
}

function useLaneKeys({ grid, table, lanes, choose }: Keys): void {
  const { router } = usePage();
  const { view } = router.route.value;

  /** Returns the row that has the focus, or the first row without a winner. */
  function currentRow(): number {
    const focused = document.activeElement?.closest<HTMLElement>('[data-row]');
    if (focused && grid.current?.contains(focused)) return Number(focused.dataset['row']);
    return Math.max(
      0,
      table.rows.findIndex(({ cells }) => !cells.some(isWinner)),
    );
  }

  const move = (across: number, down: number) => (event: KeyboardEvent) => {
    const rows = [...(grid.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].map(
      (row) => [...row.querySelectorAll<HTMLElement>('.lane-tile')],
    );
    const at = rows.findIndex((row) => row.some((tile) => tile.contains(document.activeElement)));
    if (at === -1 && document.activeElement !== document.body) return;
    const column = rows[at]?.findIndex((tile) => tile.contains(document.activeElement)) ?? -1;
    const tile = at === -1 ? rows[0]?.[0] : rows[at + down]?.[column + across];
    event.preventDefault();
    tile?.querySelector<HTMLElement>('a, button')?.focus();
    if (tile && !tile.contains(document.activeElement)) tile.focus();
  };

  useShortcuts(
    {
      ...rowArrows((by, event) => move(by, 0)(event)),
      ArrowUp: move(0, -1),
      ArrowDown: move(0, 1),
      ...Object.fromEntries(
        lanes.slice(0, 9).map((_, lane) => [String(lane + 1), () => choose(currentRow(), lane)]),
      ),
    },
    view === 'race' && router.layer.value === undefined,
  );
}
