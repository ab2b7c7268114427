import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Returns the result of a thread: `value`, with `buffers` transferred instead of copied. */
export function transferResult(value: object, buffers: readonly ArrayBuffer[]) {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value });
}
