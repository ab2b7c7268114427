import type { CommandIo } from './command-io.ts';

/** Whether text on that stream may have colours (https://no-color.org). */
export function isColored(stream: 'stdout' | 'stderr', { isTerminal, env }: CommandIo): boolean {
  return isTerminal[stream] && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
