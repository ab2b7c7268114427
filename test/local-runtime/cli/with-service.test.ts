import type { RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { CommandIo } from '../../../local-runtime/cli/command-io.ts';
import { runCommand } from '../../support/run-command.ts';
import { openStub } from './stub-service.ts';

let close = () => {};
afterEach(() => close());

/** Runs a command against a service that replies as `listener` does. */
async function run(
  argv: readonly string[],
  listener: RequestListener,
  io: Partial<CommandIo> = {},
) {
  const stub = await openStub(listener);
  close = stub.close;
  const env = { IMAGE_BRIDGE_URL: stub.url, ...io.env };
  return runCommand(argv, { cwd: tmpdir(), ...io, env });
}

function reply(content: string, status = 200): RequestListener {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(content);
  };
}

function sendEvents(response: ServerResponse, ...events: readonly object[]): void {
  response.setHeader('content-type', 'text/event-stream');
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

const OVERLOADED = JSON.stringify({
  error: { message: 'too many streams', bridge_ext: { code: 'overloaded', details: {} } },
});
// This escape sequence sets the title of the window.
const ESCAPE = '\u001b]0;owned\u0007';

describe('a command whose server is another version or not a bridge', () => {
  it.each([
    [['jobs', 'list'], '{}'],
    [['jobs', 'list'], '{"items":[{"prompt":1}]}'],
    [['presets', 'list'], '{"items":[{"name":"n","updated":1e99}]}'],
    [['queue', 'show'], 'null'],
    [['usage'], '[]'],
    [['providers', 'list'], '<html>'],
  ])('%j exits 4 with one sentence for the reply %s', async (argv, content) => {
    const result = await run(argv, reply(content));

    expect(result).toMatchObject({ exitCode: 4, stdout: '' });
    expect(result.stderr).toMatch(/^image-bridge: .+\n$/);
  });

  it.each([
    ['a page for every path', 200],
    ['a page that says that there is none', 404],
  ])('jobs wait ends at once for %s', async (_, status) => {
    const result = await run(['jobs', 'wait', 'x'], reply('<html></html>', status));

    expect(result).toMatchObject({
      exitCode: 4,
      stderr: 'image-bridge: the server at this address is not an Image Bridge\n',
    });
  });

  it('generate does not report an HTML page as a service without jobs', async () => {
    const result = await run(['generate', 'x'], reply('<html></html>', 404));

    expect(result).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('is not an Image Bridge'),
    });
  });

  it('shows an artifact although headers are missing', async () => {
    const result = await run(['artifacts', 'show', 'x'], reply(''));

    expect(result).toEqual({
      exitCode: 0,
      stdout: 'id: x\ntype: application/json\nbytes: 0\n',
      stderr: '',
    });
  });
});

describe('a job that is followed', () => {
  it('is followed again after a temporary error', async () => {
    let asked = 0;
    const result = await run(['jobs', 'wait', 'x'], (request, response) => {
      asked += 1;
      if (asked === 1) return void reply(OVERLOADED, 503)(request, response);
      sendEvents(response, { type: 'ended', job: { id: 'x', status: 'cancelled' } });
    });

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'image-bridge: the job x was cancelled\n',
    });
  });
});

describe('an unknown event', () => {
  it('ends the command with one sentence, also while a terminal shows progress', async () => {
    const result = await run(
      ['jobs', 'wait', 'x'],
      (_, response) => sendEvents(response, { type: 'progress', stage: 7 }),
      { isTerminal: { stdin: true, stdout: true, stderr: true } },
    );

    expect(result).toMatchObject({ exitCode: 4, stdout: '' });
    expect(result.stderr).toMatch(/image-bridge: unexpected reply from .+\n$/);
  });
});

describe('a terminal without control sequences', () => {
  it('receives no progress', async () => {
    const result = await run(
      ['jobs', 'wait', 'x'],
      (_, response) => sendEvents(response, { type: 'ended', job: { id: 'x', status: 'failed' } }),
      {
        isTerminal: { stdin: true, stdout: true, stderr: true },
        env: { TERM: 'dumb' },
      },
    );

    expect(result.stderr).toBe('image-bridge: the job x failed\n');
  });
});

describe('text from a service', () => {
  it('sends no escape sequences to the terminal in any field', async () => {
    const { stdout } = await run(
      ['jobs', 'show', 'x'],
      reply(JSON.stringify({ id: ESCAPE, [ESCAPE]: [ESCAPE], request: { prompt: ESCAPE } })),
    );

    expect(stdout).toContain('owned');
    expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('sends no escape sequences in the progress and the result of a job', async () => {
    const io = {
      isTerminal: { stdin: false, stdout: false, stderr: true },
      env: { NO_COLOR: '1' },
    };
    let drawn = () => {};
    const shown = new Promise<void>((resolve) => {
      drawn = resolve;
    });
    let progress = '';
    const { stderr } = await run(
      ['jobs', 'wait', 'x'],
      async (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${JSON.stringify({ type: 'progress', stage: ESCAPE })}\n\n`);
        await shown;
        const job = { id: ESCAPE, status: 'failed', error: { message: ESCAPE, suggestions: [] } };
        response.end(`data: ${JSON.stringify({ type: 'ended', job })}\n\n`);
      },
      {
        ...io,
        stderr(text) {
          progress += text;
          if (progress.includes('owned')) drawn();
        },
      },
    );

    expect(stderr).toBe('');
    expect(progress.match(/owned/g)?.length).toBeGreaterThan(2);
    expect(progress.replaceAll('\r\u001b[K', '')).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});

describe('the credentials of a request', () => {
  it('are rejected without being shown if the token is not allowed in a header', async () => {
    const result = await run(['jobs', 'list'], reply('{"items":[]}'), {
      env: { IMAGE_BRIDGE_TOKEN: 'one\ntwo' },
    });

    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'image-bridge: IMAGE_BRIDGE_TOKEN contains characters that are not allowed in an HTTP header\n',
    });
  });

  it('may be a token with surrounding white space', async () => {
    const seen: (string | undefined)[] = [];
    await run(
      ['jobs', 'list'],
      (request, response) => {
        seen.push(request.headers.authorization);
        response.end('{"items":[]}');
      },
      { env: { IMAGE_BRIDGE_TOKEN: ' secret\r\n' } },
    );

    expect(seen).toEqual(['Bearer secret']);
  });

  it('are rejected in the URL', async () => {
    const argv = ['jobs', 'list', '--url', 'http://:secret@127.0.0.1:1'];

    const result = await runCommand(argv, { cwd: tmpdir() });

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('secret') });
  });
});
