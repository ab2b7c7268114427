import { styleText } from 'node:util';
import type { CommandIo } from '../command-io.ts';

type Stream = 'stdout' | 'stderr';
type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Whether text on that stream may have colours (https://no-color.org). */
export function isColored(stream: Stream, { isTerminal, env }: CommandIo): boolean {
  return isTerminal[stream] && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** The text in that style, where the stream shows it. */
export function styled(style: Style, text: string, stream: Stream, io: CommandIo): string {
  return isColored(stream, io) ? styleText(style, text, { validateStream: false }) : text;
}
