// The maximum number of wrong letters. For a short name, the maximum is one more than a third of the number of letters.
const MAX_DISTANCE = 3;

/** Returns the most similar name, or undefined if no name is similar. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const limit = Math.min(MAX_DISTANCE, Math.floor(typed.length / 3) + 1);
  const near = names
    .map((name) => ({ name, distance: editDistance(typed, name) }))
    .filter(({ distance }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name;
}

/**
 * Returns the number of edits that turn one name into the other: inserting, deleting or replacing a letter, or swapping two
 * adjacent letters (optimal string alignment).
 */
function editDistance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MAX_DISTANCE) return Number.POSITIVE_INFINITY;
  let [before, last]: [number[], number[]] = [
    [],
    Array.from({ length: other.length + 1 }, (_, at) => at),
  ];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        isSwap && row > 1 && column > 1 ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, current];
  }
  return last[other.length] ?? Number.POSITIVE_INFINITY;
}
