import { move, transferableSymbol, valueSymbol } from 'piscina';

/** The result of a thread: `value`, whose `buffers` are transferred instead of copied. */
export function transferResult(value: object, buffers: readonly ArrayBuffer[]) {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value });
}
