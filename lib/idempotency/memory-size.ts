const VALUE_BYTES = 16;

/** About how much memory a plain value takes: its bytes exactly, its text as UTF-16. */
export function memoryBytes(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  if (value instanceof Uint8Array) return VALUE_BYTES + value.byteLength;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(value).reduce<number>(
    (sum, member) => sum + VALUE_BYTES + memoryBytes(member),
    VALUE_BYTES,
  );
}
