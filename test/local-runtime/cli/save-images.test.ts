import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandIo } from '../../../local-runtime/cli/command-io.ts';
import { readInput } from '../../../local-runtime/cli/standard-input.ts';
import { runCommand } from '../../support/run-command.ts';
import { openStub } from './stub-service.ts';

const BYTES = Buffer.from('bytes of an image');
const sha256 = createHash('sha256').update(BYTES).digest('hex');

let cwd: string;
let close = () => {};
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'image-bridge-saved-'));
});
afterEach(async () => {
  close();
  await rm(cwd, { recursive: true, force: true });
});

/** Runs `generate` with a service that immediately makes images with these names and has no thumbnails. */
function generate(names: readonly string[], argv: readonly string[], io?: Partial<CommandIo>) {
  return run(['generate', 'x', ...argv], names, io);
}

/** Runs `images crop` with the same service. */
function crop(argv: readonly string[], io?: Partial<CommandIo>) {
  const area = ['--x', '0', '--y', '0', '--width', '1', '--height', '1'];
  return run(['images', 'crop', 'a'.repeat(32), ...area, ...argv], ['a.png'], io);
}

async function run(argv: readonly string[], names: readonly string[], io: Partial<CommandIo> = {}) {
  let requests = 0;
  const stub = await openStub((request, response) => {
    const { url = '' } = request;
    if (url === '/v1/jobs' || url.endsWith('/crop')) requests += 1;
    request.resume().on('end', () => {
      if (url.endsWith('/events')) sendEnd(response, names);
      else if (url.endsWith('/thumbnail?edge=512')) response.writeHead(503).end('{}');
      else if (url.startsWith('/v1/artifacts/')) response.end(BYTES);
      else if (url === '/v1/presets/pair') response.end('{"template":{"parameters":{"n":2}}}');
      else response.end('{"id":"job"}');
    });
  });
  close = stub.close;
  const env = { IMAGE_BRIDGE_URL: stub.url, ...io.env };
  const result = await runCommand(argv, { cwd, ...io, env });
  return { ...result, requests };
}

/** Returns a succeeded job with images of these names. */
function jobOf(names: readonly string[]): object {
  const facts = { type: 'artifact', width: 1, height: 1, format: 'png', bytes: BYTES.length };
  const data = names.map((name, index) => ({
    ...facts,
    sha256,
    id: `image-${index}`,
    name,
    index,
  }));
  const result = { data, model: 'm', provider: 'p', warnings: [], normalizations: [] };
  return { id: 'job', status: 'succeeded', result: { ...result, timings: { total_ms: 1 } } };
}

function sendEnd(response: ServerResponse, names: readonly string[]): void {
  response.setHeader('content-type', 'text/event-stream');
  response.end(`data: ${JSON.stringify({ type: 'ended', job: jobOf(names) })}\n\n`);
}

describe('the output file of an image', () => {
  it('does not replace a broken link, which is an error before anything is generated', async () => {
    await symlink(join(cwd, 'nowhere'), join(cwd, 'out.png'));

    const result = await generate(['a.png'], ['-o', 'out.png']);

    expect(result).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: `image-bridge: ${join(cwd, 'out.png')} already exists; use --force to overwrite the file\n`,
      requests: 0,
    });
  });

  it('is compared with existing files under each name that the images of the preset get', async () => {
    await writeFile(join(cwd, 'out-2.png'), '');

    const result = await generate(['a.png', 'b.png'], ['-o', 'out.png', '--preset', 'pair']);

    expect(result).toMatchObject({ exitCode: 1, requests: 0 });
    expect(result.stderr).toContain('out-2.png already exists');
  });

  it('has an unused name if a broken link has its name in the folder', async () => {
    await symlink(join(cwd, 'nowhere'), join(cwd, 'a.png'));

    const result = await generate(['a.png'], ['-q']);

    expect(result).toMatchObject({ exitCode: 0, stdout: 'a-2.png\n', stderr: '' });
    expect((await readdir(cwd)).sort()).toEqual(['a-2.png', 'a.png']);
  });

  it.each(['.bashrc', '..', 'Makefile', 'a.sh', 'a\u001b.png', ''])(
    'is not written under the name %j, which no image has',
    async (name) => {
      const result = await generate([name], ['-q', '--force']);

      expect(result).toMatchObject({ exitCode: 1, stdout: '' });
      expect(result.stderr).toContain('artifacts get image-0 -o FILE');
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  it('is written although the terminal cannot show the image before it', async () => {
    const result = await generate(['a.png', 'b.png'], [], {
      isTerminal: { stdin: true, stdout: true, stderr: false },
      env: { TERM: 'xterm-kitty', NO_COLOR: '1' },
    });

    expect(result).toMatchObject({ exitCode: 0, stdout: 'a.png\nb.png\n' });
    expect(await readFile(join(cwd, 'b.png'))).toEqual(BYTES);
  });

  it('that cannot be written is reported with the reason and the command that downloads the image', async () => {
    await writeFile(join(cwd, 'file'), '');

    const result = await generate(['a.png'], ['-o', 'file/a.png']);

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: `image-bridge: ${join(cwd, 'file/a.png')} cannot be written: a part of the path is a file
→ The service keeps the image: image-bridge artifacts get image-0 -o FILE
`,
    });
  });
});

/** Runs `generate` and interrupts it while it follows the job. The reply to the cancellation is `job`. */
async function interrupt(job: object, argv: readonly string[], io: Partial<CommandIo> = {}) {
  let follow = () => {};
  const followed = new Promise<void>((resolve) => {
    follow = resolve;
  });
  const stub = await openStub((request, response) => {
    const { method, url = '' } = request;
    if (url.endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      follow();
    } else if (method === 'DELETE') response.end(JSON.stringify(job));
    else request.resume().on('end', () => response.end(method === 'GET' ? BYTES : '{"id":"job"}'));
  });
  close = stub.close;
  const untilStopped = () => followed;
  return runCommand(['generate', 'x', '--url', stub.url, ...argv], { cwd, untilStopped, ...io });
}

describe('Ctrl+C', () => {
  it('after the end of a job does not discard its image', async () => {
    const result = await interrupt(jobOf(['a.png']), ['-q']);

    expect(result).toEqual({ exitCode: 0, stdout: 'a.png\n', stderr: '' });
    expect(await readFile(join(cwd, 'a.png'))).toEqual(BYTES);
  });

  it('clears the progress line before the message that the job was cancelled', async () => {
    const isTerminal = { stdin: true, stdout: true, stderr: true };

    const { exitCode, stderr } = await interrupt({ id: 'job', status: 'running' }, [], {
      isTerminal,
    });

    expect(exitCode).toBe(130);
    expect(stderr).toContain('\r\u001b[Kimage-bridge: the job was cancelled\n');
    expect(stderr.endsWith('cancelled\n')).toBe(true);
  });
});

describe('the images of a request', () => {
  it('are rejected if they are too long in total, even if one image is used several times', async () => {
    await writeFile(join(cwd, 'long.png'), '');
    await truncate(join(cwd, 'long.png'), 64 * 1024 * 1024);

    const result = await generate([], Array(3).fill(['--reference', 'long.png']).flat());

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'image-bridge: the images exceed 134217728 bytes in total\n',
      requests: 0,
    });
  });
});

describe('standard streams', () => {
  it('receives only the image with -o -', async () => {
    const written: Uint8Array[] = [];

    const result = await generate(['a.png'], ['-o', '-'], {
      writeBytes: (bytes) => void written.push(bytes),
    });

    expect(result).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: expect.stringContaining('1x1'),
    });
    expect(Buffer.concat(written)).toEqual(BYTES);
    expect(await readdir(cwd)).toEqual([]);
  });

  it.each([
    [['-o', '-', '-n', '2'], 'one image'],
    [['-o', '-', '--preset', 'pair'], 'one image'],
    [['-o', '-', '--json'], 'both write to standard output'],
    [['-o', 'x.tiff'], 'the extension of x.tiff is not supported: use .png, .jpg or .webp'],
    [['-o', 'photos/x.HEIC'], 'is not supported'],
  ])('rejects %j before a job is made', async (argv, reason) => {
    const { exitCode, stderr, requests } = await generate(['a.png'], argv);

    expect([exitCode, requests]).toEqual([2, 0]);
    expect(stderr).toContain(reason);
  });

  it.each([
    [['-o', '-', '--json'], 'both write to standard output'],
    [['-o', 'x.tiff'], 'the extension of x.tiff is not supported: use .png, .jpg or .webp'],
    [['-o', 'x.jpg'], 'a crop is a PNG'],
  ])('rejects %j of a crop before any request is sent', async (argv, reason) => {
    const { exitCode, stderr, requests } = await crop(argv);

    expect([exitCode, requests]).toEqual([2, 0]);
    expect(stderr).toContain(reason);
  });

  it.each([
    ['an image', (io: Partial<CommandIo>) => generate(['a.png'], ['-o', '-'], io)],
    ['a crop', (io: Partial<CommandIo>) => crop(['-o', '-'], io)],
  ])('does not receive %s if it is a terminal', async (_, make) => {
    const isTerminal = { stdin: false, stdout: true, stderr: true };

    const { exitCode, requests } = await make({ isTerminal });

    expect([exitCode, requests]).toEqual([2, 0]);
  });

  it('cannot provide both the image and the prompt', async () => {
    const result = await runCommand(['edit', '-', '-'], { cwd });

    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot both') });
  });

  it.each([
    ['a prompt', ['generate', '-'], 'a kite', { prompt: 'a kite' }],
    ['an image', ['edit', '-', 'x'], 'PNG', { images: [{ type: 'base64', data: 'UE5HCg==' }] }],
  ])('provides %s', async (_, argv, text, expected) => {
    const bodies: string[] = [];
    const stub = await openStub((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(422).end('{}');
      });
    });
    close = stub.close;

    await runCommand(argv, {
      cwd,
      env: { IMAGE_BRIDGE_URL: stub.url },
      readInput: async () => Buffer.from(`${text}\n`),
    });

    expect(JSON.parse(bodies[0] ?? '')).toMatchObject(expected);
  });

  it('is rejected if it is too long', async () => {
    const result = await runCommand(['generate', '-'], { cwd, readInput: async () => undefined });

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is longer than'),
    });
  });
});

describe('readInput', () => {
  it('reads a stream to its end, up to the limit', async () => {
    const pieces = () => Readable.from([Buffer.from('ab'), Buffer.from('c')]);

    expect(await readInput(pieces(), 3)).toEqual(Buffer.from('abc'));
    expect(await readInput(pieces(), 2)).toBeUndefined();
  });
});
