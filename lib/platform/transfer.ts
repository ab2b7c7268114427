import { move, transferableSymbol, valueSymbol } from 'piscina';

/** What a thread answers: `value`, with these of its buffers given away instead of copied. */
export function transferResult(value: object, buffers: readonly ArrayBuffer[]) {
  return move({ [transferableSymbol]: buffers, [valueSymbol]: value });
}
