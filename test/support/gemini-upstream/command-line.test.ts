import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sendPlain } from '../upstream/plain-client.ts';
import { BEHAVIOURS } from './behaviours/behaviours.ts';
import { listing, parseCommand } from './command-line.ts';

const PROGRAM = fileURLToPath(
  new URL('../../../dist/test/support/emulator/main.js', import.meta.url),
);

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
    const child = spawn(process.execPath, [PROGRAM, 'gemini', '--key', 'mine', '--bytes', '30000']);
    let printed = '';
    child.stdout.on('data', (part) => {
      printed += part;
    });
    await expect.poll(() => printed).toMatch(/^base_url = "(.*)"$/m);
    const url = /^base_url = "(.*)"$/m.exec(printed)?.[1];

    const reply = await sendPlain({
      url: `${url}/v1beta/models/gemini-3-pro-image:generateContent`,
      headers: { 'content-type': 'application/json', 'x-goog-api-key': 'mine' },
      body: JSON.stringify({
        contents: [{ role: 'user', parts: [{ text: 'A cup' }] }],
        generationConfig: { responseModalities: ['IMAGE'] },
      }),
    });
    const ended = once(child, 'close');
    child.kill('SIGTERM');

    expect(reply?.status).toBe(200);
    expect((await ended)[0]).toBe(0);
    expect(printed).toMatch(/^call 1: succeed, replied, \d+ ms$/m);
    expect(printed).not.toContain('A cup');
  });
});
