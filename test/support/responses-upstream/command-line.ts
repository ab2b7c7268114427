import { parseArgs } from 'node:util';
import { aligned } from '../emulator/print.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours/behaviours.ts';
import type { UpstreamOptions } from './responses-upstream.ts';
import { TOKEN_BEHAVIOURS } from './token-behaviours.ts';

export const USAGE = `An emulator of the Responses backend, for trying the bridge without an account.

  npm run emulator -- [--port N] [--home DIR] [options]
  npm run emulator -- --list

  --port N            listen on this port of 127.0.0.1; default: a free port
  --home DIR          write the made-up login here; default: a new temporary folder
  --behaviour NAME    the behaviour of every call whose prompt names none
  --bytes N           the size of an image (2000000)
  --pause MS          between two events (300)
  --chunk N           bytes a piece
  --token-life SECS   how long an access token is valid (3600)
  --list              print all names
`;

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'wrong'; readonly what: string }
  | Run;

export interface Run {
  readonly kind: 'run';
  readonly options: UpstreamOptions;
  readonly home: string | undefined;
  readonly behaviour: BehaviourName;
}

const NUMBERS = {
  port: 0,
  bytes: 2_000_000,
  pause: 300,
  chunk: 65_536,
  'token-life': 3600,
} as const;

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
  const rows = [...BEHAVIOURS.values()];
  const tokenRows = [...TOKEN_BEHAVIOURS.values()];
  return [
    'Behaviours of a call, for --behaviour and for [[fail:NAME]] in a prompt:',
    ...aligned(rows),
    '',
    'Behaviours of a refresh, for tests:',
    ...aligned(tokenRows),
    '',
  ].join('\n');
}

function toCommand(words: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...words],
    strict: true,
    options: {
      port: { type: 'string' },
      home: { type: 'string' },
      behaviour: { type: 'string' },
      bytes: { type: 'string' },
      pause: { type: 'string' },
      chunk: { type: 'string' },
      'token-life': { type: 'string' },
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
  const behaviour = values.behaviour ?? 'succeed';
  if (!isBehaviourName(behaviour))
    throw new Error(`--behaviour ${behaviour}: no such name, see --list`);
  const chunks = values.chunk === undefined ? {} : { chunks: Math.max(1, number('chunk')) };
  const options = {
    port: number('port'),
    imageBytes: number('bytes'),
    pauseMs: number('pause'),
    accessLifeMs: number('token-life') * 1000,
    ...chunks,
  };
  return { kind: 'run', options, home: values.home, behaviour };
}

function isBehaviourName(name: string): name is BehaviourName {
  return BEHAVIOURS.has(name);
}
