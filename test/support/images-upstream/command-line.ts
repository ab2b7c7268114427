import { parseArgs } from 'node:util';
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

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'wrong'; readonly what: string }
  | Run;

export interface Run {
  readonly kind: 'run';
  readonly options: ImagesUpstreamOptions;
  readonly behaviour: BehaviourName;
}

const NUMBERS = { port: 0, bytes: 2_000_000, pause: 300, chunk: 65_536 } as const;

/** Parses the words after `openai`. */
export function parseCommand(words: readonly string[]): Command {
  try {
    return toCommand(words);
  } catch (error) {
    return { kind: 'wrong', what: error instanceof Error ? error.message : String(error) };
  }
}

/** The dialects and the behaviours with their descriptions, one line each. */
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

function toCommand(words: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...words],
    strict: true,
    options: {
      dialect: { type: 'string' },
      port: { type: 'string' },
      key: { type: 'string' },
      behaviour: { type: 'string' },
      bytes: { type: 'string' },
      pause: { type: 'string' },
      chunk: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };
  const number = (name: keyof typeof NUMBERS) => {
    const text = values[name];
    if (text === undefined) return NUMBERS[name];
    if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} takes a number`);
    return Number(text);
  };
  const { behaviour = 'succeed', dialect = 'openai', key } = values;
  if (!isBehaviourName(behaviour))
    throw new Error(`--behaviour ${behaviour}: no such name, see --list`);
  if (!isDialectName(dialect)) throw new Error(`--dialect ${dialect}: no such name, see --list`);
  const options = {
    dialect,
    port: number('port'),
    imageBytes: number('bytes'),
    pauseMs: number('pause'),
    ...(key === undefined ? {} : { key }),
    ...(values.chunk === undefined ? {} : { chunks: Math.max(1, number('chunk')) }),
  };
  return { kind: 'run', options, behaviour };
}

function isBehaviourName(name: string): name is BehaviourName {
  return BEHAVIOURS.has(name);
}

function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(DIALECTS, name);
}
