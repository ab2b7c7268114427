import { type Command, parseWords } from '../emulator/command.ts';
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

export interface Run {
  readonly options: UpstreamOptions;
  readonly home: string | undefined;
  readonly behaviour: BehaviourName;
}

const OPTIONS = ['port', 'home', 'behaviour', 'bytes', 'pause', 'chunk', 'token-life'];

/** Parses the words after `agent`. */
export function parseCommand(words: readonly string[]): Command<Run> {
  return parseWords(words, OPTIONS, ({ text, number, listed, chunks }) => ({
    behaviour: listed('behaviour', isBehaviourName, 'succeed'),
    home: text('home'),
    options: {
      port: number('port', 0),
      imageBytes: number('bytes', 2_000_000),
      pauseMs: number('pause', 300),
      accessLifeMs: number('token-life', 3600) * 1000,
      ...chunks(),
    },
  }));
}

/** Returns the names of all behaviours with their descriptions, one line each. */
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

function isBehaviourName(name: string): name is BehaviourName {
  return BEHAVIOURS.has(name);
}
