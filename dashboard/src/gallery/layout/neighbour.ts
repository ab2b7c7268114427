import type { Layout, PlacedTile } from './row-layout.ts';

export type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

/** The card that an arrow key leads to: in reading order sideways, the nearest one in the row above or below. */
export function neighbour(layout: Layout, id: string, direction: Direction): string | undefined {
  const { rows, rowOf } = layout;
  if (direction === 'first') return rows.at(0)?.tiles.at(0)?.id;
  if (direction === 'last') return rows.at(-1)?.tiles.at(-1)?.id;
  const at = rowOf.get(id);
  if (at === undefined) return undefined;
  const tiles = rows[at]?.tiles ?? [];
  const column = tiles.findIndex((tile) => tile.id === id);
  if (direction === 'left') return (tiles[column - 1] ?? rows[at - 1]?.tiles.at(-1))?.id;
  if (direction === 'right') return (tiles[column + 1] ?? rows[at + 1]?.tiles.at(0))?.id;
  const tile = tiles[column];
  return tile && nearest(rows[direction === 'up' ? at - 1 : at + 1]?.tiles ?? [], middle(tile))?.id;
}

function nearest(tiles: readonly PlacedTile[], x: number): PlacedTile | undefined {
  const distance = (tile: PlacedTile) => Math.abs(middle(tile) - x);
  return tiles.toSorted((a, b) => distance(a) - distance(b))[0];
}

function middle({ left, width }: PlacedTile): number {
  return left + width / 2;
}
