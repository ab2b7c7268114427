/** Methods whose time does not depend on the length of the text. */
const CHEAP = new Set<string | symbol>([
  'at',
  'charAt',
  'charCodeAt',
  'codePointAt',
  'constructor',
  'slice',
  'substring',
  'toString',
  'valueOf',
]);

const LONG = 1024 * 1024;

type AnyFunction = (this: unknown, ...given: unknown[]) => unknown;

/**
 * Runs a function and returns the name of every operation that read a text of more than a megabyte: methods of strings and
 * regular expressions, iteration, `Buffer.byteLength`. Counting is reliable, unlike measured time.
 */
export async function longReadsOf(run: () => unknown): Promise<readonly string[]> {
  const found: string[] = [];
  const restore = [
    ...Reflect.ownKeys(String.prototype)
      .filter((name) => !CHEAP.has(name))
      .map((name) => watch(String.prototype, name, (self) => [self], found)),
    ...['exec', 'test'].map((name) => watch(RegExp.prototype, name, (_, [text]) => [text], found)),
    watch(Buffer, 'byteLength', (_, [text]) => [text], found),
    watch(globalThis, 'encodeURIComponent', (_, [text]) => [text], found),
  ];
  try {
    await run();
  } finally {
    for (const undo of restore.reverse()) undo();
  }
  return found;
}

function watch(
  owner: object,
  name: string | symbol,
  textsOf: (self: unknown, given: readonly unknown[]) => readonly unknown[],
  found: string[],
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name);
  const original = descriptor?.value as AnyFunction | undefined;
  if (!descriptor || typeof original !== 'function') return () => {};
  const watched: AnyFunction = function (...given) {
    if (textsOf(this, given).some(isLong)) found.push(String(name));
    return Reflect.apply(original, this, given);
  };
  Object.defineProperty(owner, name, { ...descriptor, value: watched });
  return () => Object.defineProperty(owner, name, descriptor);
}

function isLong(text: unknown): boolean {
  const value: unknown = text instanceof String ? text.valueOf() : text;
  return typeof value === 'string' && value.length > LONG;
}
