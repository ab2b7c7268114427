import { parseArgs } from 'node:util';
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

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'wrong'; readonly what: string }
  | { readonly kind: 'run'; readonly options: GeminiOptions; readonly behaviour: BehaviourName };

/** Parses the command line. */
export function parseCommand(words: readonly string[]): Command {
  try {
    return toCommand(words);
  } catch (error) {
    return { kind: 'wrong', what: error instanceof Error ? error.message : String(error) };
  }
}

/** The names of all behaviours with their descriptions, one line each. */
export function listing(): string {
  return [
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
      port: { type: 'string', default: '0' },
      key: { type: 'string', default: 'a-made-up-key' },
      behaviour: { type: 'string', default: 'succeed' },
      format: { type: 'string', default: 'png' },
      bytes: { type: 'string', default: '2000000' },
      chunk: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list' };
  const { key, behaviour, format, chunk } = values;
  if (!isBehaviourName(behaviour)) {
    throw new Error(`--behaviour ${behaviour}: no such name, see --list`);
  }
  if (format !== 'png' && format !== 'jpeg') throw new Error('--format takes png or jpeg');
  const options = {
    port: toNumber('port', values.port),
    key,
    format,
    imageBytes: toNumber('bytes', values.bytes),
    ...(chunk === undefined ? {} : { chunks: Math.max(1, toNumber('chunk', chunk)) }),
  } as const;
  return { kind: 'run', options, behaviour };
}

function toNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} takes a number`);
  return Number(text);
}

function isBehaviourName(name: string): name is BehaviourName {
  return BEHAVIOURS.has(name);
}
