import { type Command, parseWords } from '../emulator/command.ts';
import { aligned } from '../emulator/print.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import { DIALECTS, type DialectName } from './dialects/dialects.ts';
import type { ImagesUpstreamOptions } from './images-upstream.ts';

export const USAGE = `An emulator of OpenAI's images API, and of the servers that are compatible with it.

  npm run emulator -- openai [--dialect NAME] [--port N] [options]
  npm run emulator -- openai --list

  --dialect NAME      the kind of server (openai); --list prints all
  --port N            listen on this port of 127.0.0.1; default: a free port
  --key KEY           the key that a request must present; default: a new one where the dialect has keys
  --behaviour NAME    the behaviour of every call whose prompt names none
  --bytes N           the size of an image (2000000)
  --pause MS          between two events of a stream (300)
  --chunk N           bytes a piece
  --list              print all dialects and behaviours
`;

export interface Run {
  readonly options: ImagesUpstreamOptions;
  readonly behaviour: BehaviourName;
}

const OPTIONS = ['dialect', 'port', 'key', 'behaviour', 'bytes', 'pause', 'chunk'];

/** Parses the words after `openai`. */
export function parseCommand(words: readonly string[]): Command<Run> {
  return parseWords(words, OPTIONS, ({ text, number, listed, chunks }) => {
    const key = text('key');
    return {
      behaviour: listed('behaviour', isBehaviourName, 'succeed'),
      options: {
        dialect: listed('dialect', isDialectName, 'openai'),
        port: number('port', 0),
        imageBytes: number('bytes', 2_000_000),
        pauseMs: number('pause', 300),
        ...(key === undefined ? {} : { key }),
        ...chunks(),
      },
    };
  });
}

/** Returns the dialects and the behaviours with their descriptions, one line each. */
export function listing(): string {
  const dialects = Object.entries(DIALECTS).map(([name, { about }]) => ({ name, about }));
  return [
    'Dialects, for --dialect:',
    ...aligned(dialects),
    '',
    'Behaviours of a call, for --behaviour and for [[fail:NAME]] in a prompt:',
    ...aligned([...BEHAVIOURS.values()]),
    '',
  ].join('\n');
}

function isBehaviourName(name: string): name is BehaviourName {
  return BEHAVIOURS.has(name);
}

function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(DIALECTS, name);
}
