import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImageJobSummary } from '../../../lib/contract/resources/job.ts';
import type { CommandIo } from '../../../local-runtime/cli/command-io.ts';
import { runCommand } from '../../support/run-command.ts';
import {
  cleanUp,
  freshFolder,
  type StartedBridge,
  startBridge,
} from '../../support/start-bridge.ts';

const TOKEN = 'a-long-enough-secret';

let bridge: StartedBridge;
let cwd: string;

beforeAll(async () => {
  bridge = await startBridge({
    set: ['server.bearer_token_env=BRIDGE_TOKEN'],
    env: { BRIDGE_TOKEN: TOKEN },
  });
});
beforeEach(async () => {
  cwd = await freshFolder();
});
afterAll(cleanUp);

function run(argv: readonly string[], io: Partial<CommandIo> = {}) {
  const env = { IMAGE_BRIDGE_URL: bridge.address, IMAGE_BRIDGE_TOKEN: TOKEN, ...io.env };
  return runCommand(argv, { cwd, ...io, env });
}

/** Generates one small image and resolves with its job. */
async function generated(
  prompt: string,
  options: readonly string[] = [],
): Promise<ImageJobSummary> {
  await run(['generate', prompt, '--size', '64x64', '-q', ...options]);
  const { stdout } = await run(['jobs', 'list', '--search', prompt, '--json']);
  return (JSON.parse(stdout) as ImageJobSummary[])[0] as ImageJobSummary;
}

async function metadata(name: string) {
  return sharp(await readFile(join(cwd, name))).metadata();
}

/** Forwards requests to the service. The connection of the first POST breaks before its reply. */
async function openBreakingProxy() {
  let broken = 0;
  const proxy = createServer(async (request, response) => {
    const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : null;
    const headers = request.headers as Record<string, string>;
    const { method = 'GET', url } = request;
    const reply = await fetch(`${bridge.address}${url}`, { method, headers, body });
    const bytes = Buffer.from(await reply.arrayBuffer());
    if (method === 'POST' && broken === 0) {
      broken += 1;
      request.socket.destroy();
    } else {
      const contentType = reply.headers.get('content-type') ?? 'application/json';
      response.writeHead(reply.status, { 'content-type': contentType }).end(bytes);
    }
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const { port } = proxy.address() as AddressInfo;
  const env = { IMAGE_BRIDGE_URL: `http://127.0.0.1:${port}` };
  return { env, broken: () => broken, close: () => proxy.close() };
}

describe('generate', () => {
  it('writes the image in the format of the file name, and prints its path', async () => {
    const result = await run(['generate', 'a lighthouse', '-o', 'l.webp', '--size', '64x48']);

    expect(result).toMatchObject({ exitCode: 0, stdout: 'l.webp\n' });
    expect(result.stderr).toMatch(
      /^64x48 webp, sandbox-image, [\d.]+ s\nwarning sandbox_output\n$/,
    );
    expect(await metadata('l.webp')).toMatchObject({ format: 'webp', width: 64, height: 48 });
  });

  it('numbers several images, and creates the folder', async () => {
    const argv = ['generate', 'kites', '-n', '3', '-o', 'out/kite.png', '--size', '64x64', '-q'];

    const result = await run(argv);

    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(result.stdout).toBe('out/kite-1.png\nout/kite-2.png\nout/kite-3.png\n');
    expect((await readdir(join(cwd, 'out'))).sort()).toEqual([
      'kite-1.png',
      'kite-2.png',
      'kite-3.png',
    ]);
  });

  it('reports the written files as JSON', async () => {
    const { stdout } = await run(['generate', 'a kite', '--json', '--size', '64x64']);

    const report = JSON.parse(stdout);
    const [file] = report.files;
    expect(report).toMatchObject({ provider: 'sandbox', warnings: ['sandbox_output'] });
    const bytes = await readFile(file.path);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
  });

  it('rejects an existing file before anything is generated', async () => {
    await writeFile(join(cwd, 'l.png'), 'precious');

    const refused = await run(['generate', 'never made', '-o', 'l.png']);
    const { stdout } = await run(['jobs', 'list', '--search', 'never made', '--json']);
    const forced = await run(['generate', 'a kite', '-o', 'l.png', '--force', '--size', '64x64']);

    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--force') });
    expect(JSON.parse(stdout)).toEqual([]);
    expect(forced.exitCode).toBe(0);
    expect(await metadata('l.png')).toMatchObject({ format: 'png' });
  });

  it('shows the calls and the cost of a plan, and makes nothing', async () => {
    const argv = ['generate', 'only planned', '-n', '2', '--priority', '3', '--plan'];

    const shown = await run(argv);
    const json = await run([...argv, '--json']);
    const rejected = await run([...argv, '--model', 'none']);
    const { stdout: jobs } = await run(['jobs', 'list', '--search', 'only planned', '--json']);

    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toMatch(
      /^PROVIDER +MODEL +CALLS +COST +CREDENTIALS +STATE\nsandbox +sandbox-image +\d+ +free +would keep +used\n$/,
    );
    expect(JSON.parse(json.stdout)).toMatchObject({ chosen: 0, routes: [{ provider: 'sandbox' }] });
    expect(rejected.exitCode).toBe(1);
    expect(JSON.parse(jobs)).toEqual([]);
  });

  it('uses a preset, which options override', async () => {
    const template = { parameters: { size: '64x48', output_format: 'jpeg' } };
    await writeFile(join(cwd, 'small.json'), JSON.stringify(template));
    await run(['presets', 'save', 'small', 'small.json']);

    const byPreset = await run(['generate', 'a kite', '--preset', 'small', '--json']);
    const overridden = await run([
      'generate',
      'a kite',
      '--preset',
      'small',
      '-o',
      'k.png',
      '--json',
    ]);

    expect(JSON.parse(byPreset.stdout).files[0]).toMatchObject({ format: 'jpeg', width: 64 });
    expect(JSON.parse(overridden.stdout).files[0]).toMatchObject({ format: 'png', width: 64 });
  });

  it('shows progress and the image on a terminal that supports images', async () => {
    const isTerminal = { stdin: true, stdout: true, stderr: true };
    const argv = ['generate', 'a kite', '-o', 'k.png', '--size', '64x64'];

    const kitty = await run(argv, { isTerminal, env: { TERM: 'xterm-kitty', NO_COLOR: '1' } });
    const iterm = await run([...argv, '--force'], {
      isTerminal,
      env: { TERM_PROGRAM: 'iTerm.app' },
    });
    const plain = await run([...argv, '--force'], { isTerminal, env: { TERM: 'xterm' } });

    expect(kitty.stdout).toContain('k.png\n\u001b_Ga=T,f=100,m=1;iVBOR');
    expect(kitty.stderr).toContain(' queued 0 s');
    expect(iterm.stdout).toContain('\u001b]1337;File=inline=1;size=');
    expect(plain.stdout).toBe('k.png\n');
  });

  it('cancels the job on Ctrl+C and exits 130', async () => {
    const prompt = 'a slow kite';
    const untilRunning = async () => {
      const list = ['jobs', 'list', '--search', prompt, '--status', 'running', '--json'];
      await expect.poll(async () => JSON.parse((await run(list)).stdout)).toHaveLength(1);
    };

    const result = await run(['generate', prompt, '--model', 'sandbox-hang'], {
      untilStopped: untilRunning,
    });

    expect(result).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('cancelled') });
    const list = ['jobs', 'list', '--search', prompt, '--json'];
    await expect.poll(async () => JSON.parse((await run(list)).stdout)[0].status).toBe('cancelled');
  });

  it('lists the jobs whose prompts match a query', async () => {
    const found = await generated('a heron on ice, dusk');
    await generated('a heron at noon');

    const { stdout } = await run(['jobs', 'list', '--query', 'DUSK "heron on" -noon', '--json']);

    expect(JSON.parse(stdout).map(({ id }: ImageJobSummary) => id)).toEqual([found.id]);
  });

  it('creates one job even if the connection breaks before the reply', async () => {
    const prompt = 'a kite of one job';
    const proxy = await openBreakingProxy();

    const result = await run(['generate', prompt, '--size', '64x64', '-q'], proxy);
    const { stdout } = await run(['jobs', 'list', '--search', prompt, '--json']);
    proxy.close();

    expect([result.exitCode, result.stderr, proxy.broken()]).toEqual([0, '', 1]);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('follows the job across a crash of the service', async () => {
    const first = await startBridge();
    const env = { IMAGE_BRIDGE_URL: first.address };
    const generating = runCommand(['generate', 'a kite', '--model', 'sandbox-hang'], { cwd, env });
    const list = ['jobs', 'list', '--status', 'running', '--json'];
    await expect
      .poll(async () => JSON.parse((await runCommand(list, { cwd, env })).stdout))
      .toHaveLength(1);

    await first.end('SIGKILL');
    await startBridge({ cwd: first.cwd, port: first.port });

    expect(await generating).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^image-bridge: the job \S+ was interrupted: /),
    });
  });

  it.each([
    [['generate', ' '], 1, 'prompt'],
    [['generate', 'x', '--size', '1'], 1, 'parameters.size must be auto or WxH'],
    [['generate', 'x', '--model', 'sandbox-fail-upstream'], 1, 'failed: rehearsal'],
    [['generate', 'x', '--preset', 'none'], 1, 'the request failed (404)'],
    [
      ['generate', 'x', '-o', 'x.png', '--format', 'webp'],
      2,
      'the extension of x.png does not match --format webp',
    ],
    [['generate', 'x', '-n', '0'], 2, 'The value must be a whole number of at least 1.'],
    [['edit', 'none.png', 'x'], 1, 'none.png cannot be read'],
    [['jobs', 'show', 'none'], 1, 'the request failed (404)'],
    [['jobs', 'list', '--limit', '101'], 1, 'limit must be a whole number from 1 to 100'],
    [['artifacts', 'show', 'none'], 1, 'the request failed (404)'],
    [['sessions', 'show', 'none'], 1, 'session not found'],
    [['artifacts', 'get', '../../secret', '-o', 'x'], 1, 'the request failed (404)'],
    [['presets', 'save', 'p', 'none.json'], 1, 'none.json cannot be read'],
  ])('rejects %j with %i', async (argv, exitCode, reason) => {
    const result = await run(argv);

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(reason);
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('edit', () => {
  it('sends the file, a mask and references', async () => {
    await run(['generate', 'a rocket', '-o', 'rocket.png', '--size', '64x64']);
    const mask = {
      create: { width: 64, height: 64, channels: 4, background: '#00000000' },
    } as const;
    await writeFile(join(cwd, 'mask.png'), await sharp(mask).png().toBuffer());

    const result = await run([
      ...['edit', 'rocket.png', 'in winter', '--mask', 'mask.png', '--reference', 'rocket.png'],
      ...['-o', 'winter.jpg', '-q'],
    ]);

    expect(result).toEqual({ exitCode: 0, stdout: 'winter.jpg\n', stderr: '' });
    expect(await metadata('winter.jpg')).toMatchObject({ format: 'jpeg', width: 64 });
  });
});

describe('the other client commands', () => {
  it('list, show and change jobs', async () => {
    const { id } = await generated('a job to change');

    const favorite = await run(['jobs', 'favorite', id, '--json']);
    const hidden = await run(['jobs', 'hide', id]);
    const list = await run(['jobs', 'list', '--hidden']);
    const restored = await run(['jobs', 'restore', id]);
    const waited = await run(['jobs', 'wait', id]);
    const cancelled = await run(['jobs', 'cancel', id]);

    expect(JSON.parse(favorite.stdout)).toMatchObject({ id, favorite: true });
    expect(hidden.stdout).toMatch(/\ndeleted: \d+\n/);
    expect(list.stdout).toMatch(new RegExp(`^ID +CREATED .*\n${id} +\\S+ \\S+ +succeeded +1/1 +★`));
    expect(restored.stdout).not.toContain('deleted:');
    expect(waited).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('artifact: ') });
    expect(cancelled.stdout).toContain('status: succeeded\n');
  });

  it('set, show and remove the labels of a job, and list the jobs with a label', async () => {
    const { id } = await generated('a job with labels', ['--label', 'poster', '--label', '春']);

    const found = await run(['jobs', 'list', '--label', '春', '--json']);
    const shown = await run(['jobs', 'show', id]);
    const replaced = await run(['jobs', 'label', id, '--label', 'winter', '--json']);
    const gone = await run(['jobs', 'list', '--label', 'poster', '--json']);
    const removed = await run(['jobs', 'label', id, '--json']);

    expect(JSON.parse(found.stdout)).toMatchObject([{ id, labels: ['poster', '春'] }]);
    expect(shown.stdout).toContain('\nlabel: poster\nlabel: 春\n');
    expect(JSON.parse(replaced.stdout)).toMatchObject({ labels: ['winter'] });
    expect(JSON.parse(gone.stdout)).toEqual([]);
    expect(JSON.parse(removed.stdout)).not.toHaveProperty('labels');
  });

  it('retry a job once even if the connection breaks before the reply', async () => {
    const prompt = 'a kite to try again';
    await run(['generate', prompt, '--model', 'sandbox-fail-upstream']);
    const list = ['jobs', 'list', '--search', prompt, '--json'];
    const [failed] = JSON.parse((await run(list)).stdout);
    const proxy = await openBreakingProxy();

    const retried = await run(['jobs', 'retry', failed.id, '--json'], proxy);
    const { stdout } = await run(list);
    proxy.close();

    expect([retried.exitCode, retried.stderr, proxy.broken()]).toEqual([0, '', 1]);
    expect(JSON.parse(retried.stdout)).toMatchObject({ retry_of: failed.id });
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  it('cancel a job of any token in the queue', async () => {
    await run(['queue', 'pause']);
    const stopped = { untilStopped: async () => {} };
    await run(['generate', 'a job for the operator', '--size', '64x64'], stopped);
    const list = ['jobs', 'list', '--search', 'a job for the operator', '--json'];
    const [first] = JSON.parse((await run(list)).stdout);
    const { id } = JSON.parse((await run(['jobs', 'retry', first.id, '--json'])).stdout);

    const cancelled = await run(['queue', 'cancel', id, '--json']);
    const again = await run(['queue', 'cancel', id]);
    await run(['queue', 'resume']);

    expect(JSON.parse(cancelled.stdout)).toMatchObject({ id, status: 'cancelled' });
    expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('(404)')]);
  });

  it('pause the queue, retry a job, and resume', async () => {
    const paused = await run(['queue', 'pause']);
    const stopped = { untilStopped: async () => {} };
    const { exitCode } = await run(
      ['generate', 'a job to retry', '--size', '64x64', '--priority', '-5'],
      stopped,
    );
    const listed = await run(['jobs', 'list', '--search', 'a job to retry', '--json']);
    const [job] = JSON.parse(listed.stdout);
    const retried = await run(['jobs', 'retry', job.id, '--json']);
    const earlier = await run(['jobs', 'show', job.id]);
    const shown = await run(['queue', 'show', '--json']);
    const queued = await run(['queue', 'jobs']);
    const resumed = await run(['queue', 'resume']);
    const waited = await run(['jobs', 'wait', JSON.parse(retried.stdout).id]);
    const refused = await run(['generate', 'never made', '--priority', '1.5']);

    expect(paused).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('paused: true') });
    expect([exitCode, job]).toMatchObject([130, { status: 'cancelled', priority: -5 }]);
    expect(JSON.parse(retried.stdout)).toMatchObject({ retry_of: job.id, priority: -5 });
    expect(earlier.stdout).toContain(`retried_as: ${JSON.parse(retried.stdout).id}\n`);
    expect(queued.stdout).toMatch(new RegExp(`${JSON.parse(retried.stdout).id} +\\d+ s +queued`));
    expect(JSON.parse(shown.stdout)).toMatchObject({ paused: true, queued: 1, running: 0 });
    expect(resumed.stdout).toContain('paused: false');
    expect(waited).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('artifact: ') });
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('whole number') });
  });

  it('list, show and fetch artifacts', async () => {
    const { artifacts } = await generated('an image to fetch');
    const { id = '' } = artifacts[0] ?? {};

    const list = await run(['artifacts', 'list']);
    const shown = await run(['artifacts', 'show', id, '--json']);
    const fetched = await run(['artifacts', 'get', id, '-o', 'again.png']);
    const taken = await run(['artifacts', 'get', id, '-o', 'again.png']);

    expect(list.stdout).toMatch(new RegExp(`\n${id} +64x64 +png +\\d+ `));
    const sha256 = createHash('sha256')
      .update(await readFile(join(cwd, 'again.png')))
      .digest('hex');
    expect(JSON.parse(shown.stdout)).toMatchObject({ id, type: 'image/png', sha256 });
    expect(fetched).toMatchObject({ exitCode: 0, stdout: 'again.png\n' });
    expect(taken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--force') });
  });

  it('crop an artifact', async () => {
    const { artifacts } = await generated('an image to crop');
    const { id = '' } = artifacts[0] ?? {};
    const crop = (...options: string[]) => run(['images', 'crop', id, '--y', '8', ...options]);
    const area = ['--x', '4', '--width', '32', '--height', '16'];

    const made = await crop(...area, '-o', 'part.png');
    const listed = await crop(...area, '-o', 'other.png', '--json');
    const taken = await crop(...area, '-o', 'part.png');
    const outside = await crop('--x', '40', '--width', '32', '--height', '16', '-o', 'no.png');
    const other = await crop(...area, '-o', 'part.jpg');
    const unknown = await run(['images', 'crop', '0'.repeat(32), '--y', '0', ...area]);

    expect(made).toMatchObject({ exitCode: 0, stdout: 'part.png\n' });
    expect(await metadata('part.png')).toMatchObject({ width: 32, height: 16, format: 'png' });
    expect(JSON.parse(listed.stdout)).toMatchObject({ provider: 'image-bridge', model: 'crop' });
    expect(taken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--force') });
    expect(outside).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('width must') });
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('.png') });
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('artifact not found'),
    });
  });

  it('save, list, show and delete presets', async () => {
    await writeFile(join(cwd, 'p.json'), '{"parameters": {"size": "64x64"}}');

    const made = await run(['presets', 'save', 'poster', 'p.json', '--description', 'large']);
    const replaced = await run(['presets', 'save', 'poster', 'p.json']);
    const shown = await run(['presets', 'show', 'poster', '--json']);
    const list = await run(['presets', 'list']);
    const deleted = await run(['presets', 'delete', 'poster']);
    const missing = await run(['presets', 'show', 'poster']);

    expect(made.stdout).toBe('Created poster.\n');
    expect(replaced.stdout).toBe('Replaced poster.\n');
    expect(JSON.parse(shown.stdout)).toMatchObject({ template: { parameters: { size: '64x64' } } });
    expect(list.stdout).toMatch(/\nposter +\d{4}-/);
    expect(deleted).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(missing.exitCode).toBe(1);
  });

  it('list providers and show the capabilities of a model', async () => {
    const list = await run(['providers', 'list']);
    const shown = await run(['providers', 'show', 'sandbox', '--model', 'sandbox-basic', '--json']);

    expect(list.stdout).toMatch(/\nsandbox +yes +sandbox-image /);
    expect(JSON.parse(shown.stdout)).toMatchObject({ model: 'sandbox-basic', generation: true });
  });

  it('print the address of the dashboard', async () => {
    const result = await run(['dashboard']);

    expect(result).toEqual({ exitCode: 0, stdout: `${bridge.address}/dashboard\n`, stderr: '' });
  });
});

describe('finding the service', () => {
  it('exits 4 and explains how to start a service if no service can be reached', async () => {
    const env = { IMAGE_BRIDGE_URL: 'http://127.0.0.1:1' };

    const result = await run(['generate', 'x'], { env });

    expect(result).toMatchObject({ exitCode: 4, stdout: '' });
    expect(result.stderr).toMatch(
      /^image-bridge: no service can be reached at http:\/\/127\.0\.0\.1:1\n→ .*quickstart\n/,
    );
  });

  it('reports a missing token', async () => {
    const result = await run(['jobs', 'list'], { env: { IMAGE_BRIDGE_TOKEN: '' } });

    expect(result).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('IMAGE_BRIDGE_TOKEN'),
    });
  });

  it('follows the configuration of the folder, with the token that it names', async () => {
    const server = `bind = "127.0.0.1:${bridge.port}"\nbearer_token_env = "BRIDGE_TOKEN"`;
    await writeFile(join(cwd, 'image-bridge.toml'), `[server]\n${server}\n`);
    const env = { BRIDGE_TOKEN: TOKEN };

    const found = await runCommand(['providers', 'list'], { cwd, env });
    const elsewhere = await runCommand(['providers', 'list', '--url', bridge.address], {
      cwd,
      env,
    });

    expect(found.exitCode).toBe(0);
    // The token of the configuration must not be sent to an address from another source.
    expect(elsewhere.stderr).toContain('(401)');
  });

  it.each(['ftp://host', 'host:80', 'http://me@host', 'http://host/?a=b'])(
    'rejects the address %s',
    async (url) => {
      const result = await run(['jobs', 'list', '--url', url]);

      expect(result).toMatchObject({
        exitCode: 2,
        stderr:
          'image-bridge: --url must be an http or https URL without a user name, a password and a query\n',
      });
    },
  );

  it('sends no token after a redirect, and recognizes a server that is not a bridge', async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      if (request.url === '/v1/providers?limit=100') response.end('<html>');
      else response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;

    const redirected = await run(['jobs', 'list', '--url', url]);
    const html = await run(['providers', 'list', '--url', url]);
    other.close();

    expect(redirected.exitCode).toBe(4);
    expect(html).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('is not an Image Bridge'),
    });
    expect(seen).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
  });

  it('reports that jobs are disabled', async () => {
    const other = await startBridge({ set: ['server.jobs.enabled=false'] });
    const env = { IMAGE_BRIDGE_URL: other.address };

    const refusals = [
      await runCommand(['generate', 'x'], { cwd, env }),
      await runCommand(['dashboard'], { cwd, env }),
    ];

    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('server.jobs.enabled is off'),
      });
    }
  });

  it('serves the dashboard itself if no service runs', async () => {
    await mkdir(join(cwd, 'empty'));
    const child = await startBridge({ cwd: join(cwd, 'empty'), command: 'dashboard' });

    expect((await fetch(`${child.address}/dashboard`)).status).toBe(200);
    expect(child.stdout()).toContain(`Dashboard: ${child.address}/dashboard\n`);
    expect((await child.end()).code).toBe(0);
  });
});

describe('health', () => {
  it('exits 0 for a ready service, without a token', async () => {
    const env = { IMAGE_BRIDGE_TOKEN: '' };

    expect(await run(['health'], { env })).toMatchObject({ exitCode: 0, stdout: 'ready\n' });
    expect(await run(['health', '--live'], { env })).toMatchObject({
      exitCode: 0,
      stdout: 'live\n',
    });
  });

  it('exits 1 for a live service whose provider is not ready', async () => {
    const set = [`providers.agent_responses.home=${cwd}`];
    const { address } = await startBridge({ command: 'serve', set });

    const ready = await run(['health', '--url', address]);
    const live = await run(['health', '--url', address, '--live']);

    expect(ready).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('not ready') });
    expect(live).toMatchObject({ exitCode: 0, stdout: 'live\n' });
  });

  it('exits 4 if nothing listens', async () => {
    const result = await run(['health', '--url', 'http://127.0.0.1:9']);

    expect(result).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('127.0.0.1:9') });
  });
});
