import { afterEach, describe, expect, it } from 'vitest';
import { type StartedProgram, startProgram } from '../emulator/start-program.ts';
import { sendPlain } from '../upstream/plain-client.ts';
import { BEHAVIOUR_NAMES } from './behaviours/behaviours.ts';
import { listing, parseCommand } from './command-line.ts';
import { DIALECTS } from './dialects/dialects.ts';

let program: StartedProgram | undefined;

afterEach(() => {
  program?.started.kill('SIGKILL');
});

function start(...words: readonly string[]): StartedProgram {
  program = startProgram(...words);
  return program;
}

describe('parseCommand', () => {
  it('parses the arguments and fills in the defaults', () => {
    const words = ['--port', '9090', '--dialect', 'sdcpp', '--behaviour', 'cut=body'];

    expect(parseCommand(words)).toEqual({
      kind: 'run',
      behaviour: 'cut=body',
      options: { dialect: 'sdcpp', port: 9090, imageBytes: 2_000_000, pauseMs: 300 },
    });
  });

  it.each([
    [['--list'], 'list'],
    [['--help'], 'help'],
    [['--port', 'many'], 'wrong'],
    [['--dialect', 'dall-e'], 'wrong'],
    [['--behaviour', 'no-such-thing'], 'wrong'],
    [['word'], 'wrong'],
  ])('parses %j as %s', (words, kind) => {
    expect(parseCommand(words).kind).toBe(kind);
  });
});

describe('listing', () => {
  it('names and describes every dialect and behaviour', () => {
    const lines = listing().split('\n');

    for (const name of [...Object.keys(DIALECTS), ...BEHAVIOUR_NAMES]) {
      expect(lines.some((line) => line.startsWith(`  ${name} `))).toBe(true);
    }
  });
});

describe('the program', () => {
  it('prints the configuration and the key, replies to calls and ends', async () => {
    const { started, ended, prints } = start('openai', '--bytes', '30000');
    const baseUrl = await prints(/^base_url = "(.*)"$/m);
    const key = await prints(/^ {2}export EMULATED_KEY=(.*)$/m);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };

    const replies = [];
    for (const prompt of ['A jug', 'A jug [[fail:status=429]]']) {
      const body = JSON.stringify({ prompt });
      replies.push(await sendPlain({ url: `${baseUrl}/images/generations`, headers, body }));
    }
    await prints(/(call 2)/);
    started.kill('SIGTERM');

    expect(replies.map((one) => one?.status)).toEqual([200, 429]);
    const { code, printed } = await ended;
    expect(code).toBe(0);
    expect(printed).toMatch(/^call 1: succeed, replied, \d+ ms\ncall 2: status=429, replied/m);
    expect(printed).not.toContain('A jug');
  });

  it('exits with 2 for an unknown emulator', async () => {
    const { code, printed } = await start('no-such-emulator').ended;

    expect(code).toBe(2);
    expect(printed).toContain('NAME is one of: agent, openai');
  });
});
