import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StartedProgram, startProgram } from '../emulator/start-program.ts';
import { sendPlain } from '../upstream/plain-client.ts';
import { BEHAVIOUR_NAMES } from './behaviours/behaviours.ts';
import { listing, parseCommand } from './command-line.ts';
import { goodBody } from './good-calls.ts';
import { TOKEN_BEHAVIOURS } from './token-behaviours.ts';

let home: string;
let program: StartedProgram | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'emulator-'));
});
afterEach(async () => {
  program?.started.kill('SIGKILL');
  await rm(home, { recursive: true });
});

function start(...words: readonly string[]): StartedProgram {
  program = startProgram(...words);
  return program;
}

describe('parseCommand', () => {
  it('parses the arguments and fills in the defaults', () => {
    const words = ['--port', '9090', '--home', 'x', '--behaviour', 'drip', '--token-life', '60'];

    const command = parseCommand(words);

    expect(command).toEqual({
      kind: 'run',
      home: 'x',
      behaviour: 'drip',
      options: { port: 9090, imageBytes: 2_000_000, pauseMs: 300, accessLifeMs: 60_000 },
    });
  });

  it.each([
    [['--list'], 'list'],
    [['--help'], 'help'],
    [['--port', 'many'], 'wrong'],
    [['--behaviour', 'no-such-thing'], 'wrong'],
    [['--unknown'], 'wrong'],
    [['word'], 'wrong'],
  ])('parses %j as %s', (words, kind) => {
    expect(parseCommand(words).kind).toBe(kind);
  });
});

describe('listing', () => {
  it('names and describes every behaviour', () => {
    const lines = listing().split('\n');

    for (const name of [...BEHAVIOUR_NAMES, ...TOKEN_BEHAVIOURS.keys()]) {
      expect(lines.some((line) => line.startsWith(`  ${name} `))).toBe(true);
    }
  });
});

describe('the program', () => {
  it('writes a login, prints the configuration, replies to calls and ends', async () => {
    const { started, ended, prints } = start('--home', home, '--pause', '0', '--bytes', '30000');
    const url = await prints(/^endpoint = "(.*)"$/m);
    const { tokens } = JSON.parse(await readFile(join(home, 'auth.json'), 'utf8'));
    const headers = {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      originator: 'image-bridge',
      'chatgpt-account-id': tokens.account_id,
      authorization: `Bearer ${tokens.access_token}`,
    };

    const bodies = ['A cup', 'A cup [[fail:status=429]]'].map((text) => goodBody(text));
    const replies = [];
    for (const body of bodies)
      replies.push(await sendPlain({ url, headers, body: JSON.stringify(body) }));
    await prints(/(call 2)/);
    started.kill('SIGTERM');

    expect(replies.map((one) => one?.status)).toEqual([200, 429]);
    const { code, printed } = await ended;
    expect(code).toBe(0);
    expect(printed).toMatch(/^call 1: succeed, replied, \d+ ms\ncall 2: status=429, replied/m);
    expect(printed).not.toContain('A cup');
  });

  it('does not overwrite the login of another program', async () => {
    const login = '{"tokens":{"access_token":"a.b.c"}}';
    await writeFile(join(home, 'auth.json'), login);

    const { code } = await start('--home', home).ended;

    expect(code).toBe(2);
    expect(await readFile(join(home, 'auth.json'), 'utf8')).toBe(login);
  });
});
