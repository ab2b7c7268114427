import { describe, expect, it } from 'vitest';
import { startProgram } from '../emulator/start-program.ts';
import { sendPlain } from '../upstream/plain-client.ts';
import { BEHAVIOURS } from './behaviours/behaviours.ts';
import { listing, parseCommand } from './command-line.ts';

describe('parseCommand', () => {
  it('parses the arguments and fills in the defaults', () => {
    const command = parseCommand(['--port', '9090', '--format', 'jpeg', '--behaviour', 'thoughts']);

    expect(command).toEqual({
      kind: 'run',
      behaviour: 'thoughts',
      options: { port: 9090, key: 'a-made-up-key', format: 'jpeg', imageBytes: 2_000_000 },
    });
  });

  it.each([
    [['--list'], 'list'],
    [['--help'], 'help'],
    [['--port', 'many'], 'wrong'],
    [['--behaviour', 'no-such-thing'], 'wrong'],
    [['--format', 'gif'], 'wrong'],
    [['--unknown'], 'wrong'],
    [['word'], 'wrong'],
  ])('parses %j as %s', (words, kind) => {
    expect(parseCommand(words).kind).toBe(kind);
  });
});

describe('listing', () => {
  it('names and describes every behaviour', () => {
    const lines = listing().split('\n');

    for (const name of BEHAVIOURS.keys()) {
      expect(lines.some((line) => line.startsWith(`  ${name} `))).toBe(true);
    }
  });
});

describe('the program', () => {
  it('prints the configuration, replies to calls and ends', async () => {
    const { started, ended, prints } = startProgram('gemini', '--key', 'mine', '--bytes', '30000');
    const url = await prints(/^base_url = "(.*)"$/m);

    const reply = await sendPlain({
      url: `${url}/v1beta/models/gemini-3-pro-image:generateContent`,
      headers: { 'content-type': 'application/json', 'x-goog-api-key': 'mine' },
      body: JSON.stringify({
        contents: [{ role: 'user', parts: [{ text: 'A cup' }] }],
        generationConfig: { responseModalities: ['IMAGE'] },
      }),
    });
    await prints(/(call 1)/);
    started.kill('SIGTERM');

    expect(reply?.status).toBe(200);
    const { code, printed } = await ended;
    expect(code).toBe(0);
    expect(printed).toMatch(/^call 1: succeed, replied, \d+ ms$/m);
    expect(printed).not.toContain('A cup');
  });
});
