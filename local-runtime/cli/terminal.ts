import { styleText } from 'node:util';
import type { CommandIo } from './command-io.ts';

type Stream = 'stdout' | 'stderr';
type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Returns true if text on the stream may have colours (https://no-color.org). */
export function isColored(
  stream: Stream,
  { isTerminal, env }: Pick<CommandIo, 'isTerminal' | 'env'>,
): boolean {
  return isTerminal[stream] && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Returns the text in the style if the stream supports colours. */
export function styled(style: Style, text: string, stream: Stream, io: CommandIo): string {
  return isColored(stream, io) ? styleText(style, text, { validateStream: false }) : text;
}

/** Escapes all control characters except line breaks. JSON escapes only some of the characters that control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}|\p{Bidi_Control}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
