/** A storage of the browser, which may be full or blocked. */
export type JsonStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Parses the value under a key. Returns undefined if no value is stored, or if the stored text is not valid JSON. */
export function readJson(storage: JsonStorage, key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value as JSON under a key, or removes the value if it is undefined. */
export function writeJson(storage: JsonStorage, key: string, value: unknown): void {
  try {
    if (value === undefined) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full or blocked, so the value is kept only until the page is closed.
  }
}
