import { formatDollars } from '../../money/money.ts';
import { text } from '../../money/money-text.ts';
import type { Cell } from './race-board.ts';
import { type RaceCosts, sumCosts } from './race-costs.ts';

/** Returns the texts about the costs of these places: the known sum, and apart from it the number of unknown costs. */
export function moneyTexts(
  cells: readonly Cell[],
  known: RaceCosts['known']['value'],
): readonly string[] {
  const jobs = cells.flatMap(({ job, earlier }) => [...earlier, ...(job ? [job] : [])]);
  const { dollars, unknown, jobs: counted } = sumCosts(jobs, known);
  if (counted === 0) return [];
  const isFree = dollars === 0 && unknown === 0;
  return [
    ...(dollars > 0 ? [formatDollars(String(dollars))] : []),
    ...(unknown > 0 ? [text('race.spent.unknown', { count: unknown })] : []),
    ...(isFree ? [text('race.spent.free')] : []),
  ];
}
