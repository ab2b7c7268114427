/** Returns the columns in an order that follows from the id of the race and says nothing about the models. */
export function columnOrder(id: string, count: number): readonly number[] {
  return Array.from({ length: count }, (_, column) => ({
    column,
    weight: weigh(`${id} ${column}`),
  }))
    .toSorted((a, b) => a.weight - b.weight || a.column - b.column)
    .map(({ column }) => column);
}

/** Returns the FNV-1a hash of a text, whose bits are mixed again because similar texts have similar hashes. */
function weigh(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
