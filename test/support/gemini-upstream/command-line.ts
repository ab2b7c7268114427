import { type Command, parseWords } from '../emulator/command.ts';
import { aligned } from '../emulator/print.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import type { GeminiOptions } from './gemini-upstream.ts';

export const USAGE = `An emulator of the Gemini API's images, for trying the bridge without an account.

  npm run emulator -- gemini [--port N] [options]
  npm run emulator -- gemini --list

  --port N            listen on this port of 127.0.0.1; default: a free port
  --key KEY           the API key that is accepted (a-made-up-key)
  --behaviour NAME    the behaviour of every call whose prompt names none
  --format FORMAT     png or jpeg (png)
  --bytes N           the size of an image (2000000)
  --chunk N           bytes a piece
  --list              print all names
`;

export interface Run {
  readonly options: GeminiOptions;
  readonly behaviour: BehaviourName;
}

const OPTIONS = ['port', 'key', 'behaviour', 'format', 'bytes', 'chunk'];

/** Parses the words after `gemini`. */
export function parseCommand(words: readonly string[]): Command<Run> {
  return parseWords(words, OPTIONS, ({ text, number, listed, chunks }) => {
    const format = text('format') ?? 'png';
    if (format !== 'png' && format !== 'jpeg') throw new Error('--format takes png or jpeg');
    return {
      behaviour: listed('behaviour', isBehaviourName, 'succeed'),
      options: {
        port: number('port', 0),
        key: text('key') ?? 'a-made-up-key',
        format,
        imageBytes: number('bytes', 2_000_000),
        ...chunks(),
      },
    };
  });
}

/** Returns the names of all behaviours with their descriptions, one line each. */
export function listing(): string {
  return [
    'Behaviours of a call, for --behaviour and for [[fail:NAME]] in a prompt:',
    ...aligned([...BEHAVIOURS.values()]),
    '',
  ].join('\n');
}

function isBehaviourName(name: string): name is BehaviourName {
  return BEHAVIOURS.has(name);
}
