import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEvents } from '../e2e/jobs/event-reader.ts';
import { createJobClient } from '../e2e/jobs/jobs-rig.ts';
import { cleanUp } from '../support/start-bridge.ts';
import { type Block, readRecipes, startBlock, userEnvironment, userFolder } from './recipe-page.ts';

const CURL = 'No image is lost to a time-out: curl';
const OPENAI = 'No image is lost to a time-out: the OpenAI client';

const recipes = await readRecipes();
const running: ReturnType<typeof startBlock>[] = [];

let bridge: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  // One job at a time, so that jobs end in the order of their starts.
  bridge = await setUp({ IMAGE_BRIDGE__SERVER__JOBS__MAX_RUNNING: '1' });
});
afterAll(async () => {
  await Promise.all(running.splice(0).map((block) => block.end('SIGKILL')));
  await cleanUp();
});

/** The blocks of a recipe, which must have these languages. */
function blocksOf<const Languages extends readonly string[]>(
  heading: string,
  ...languages: Languages
) {
  const blocks = recipes.get(heading) ?? [];
  expect(blocks.map(({ language }) => language)).toEqual(languages);
  // As many as the languages that were compared.
  return blocks as { readonly [Nth in keyof Languages]: Block };
}

/** Does what the page says first: writes the configuration, makes a token, and starts the bridge with these settings. */
async function setUp(settings: Readonly<Record<string, string>> = {}) {
  const [config, makeToken] = blocksOf('Set up', 'toml', 'sh', 'sh');
  const folder = await userFolder();
  await writeFile(join(folder, 'image-bridge.toml'), config.text);
  const { code, stdout } = await startBlock(makeToken, folder, {}).ended;
  expect(code).toBe(0);
  return start({ folder, token: stdout.trim(), settings });
}

interface Start {
  readonly folder: string;
  readonly token: string;
  readonly settings: Readonly<Record<string, string>>;
}

async function start(options: Start) {
  const { folder, token, settings } = options;
  const [, , serve] = blocksOf('Set up', 'toml', 'sh', 'sh');
  const started = startBlock(serve, folder, {
    IMAGE_BRIDGE__SERVER__BIND: '127.0.0.1:0',
    IMAGE_BRIDGE__PROVIDERS__SANDBOX__LATENCY_MS: '0',
    ...settings,
  });
  running.push(started);
  const address = await started.printed(/listens on (http:\S+)/);
  return {
    folder,
    token,
    /** The variables that the page tells its reader to set. */
    env: { IMAGE_BRIDGE_URL: address, IMAGE_BRIDGE_TOKEN: token },
    jobs: await createJobClient({ address }, token),
    async restartAfterKill() {
      await started.end('SIGKILL');
      return start(options);
    },
  };
}

/** Runs the block to its end, in this folder or one of its own. */
async function run(heading: string, language: string, env: object, given?: string) {
  const [block] = blocksOf(heading, language);
  const folder = given ?? (await userFolder());
  const ended = await startBlock(block, folder, { ...env }).ended;
  expect(ended, ended.stderr).toMatchObject({ code: 0 });
  return { ...ended, folder };
}

async function sizeOf(folder: string, name: string) {
  const { format, width, height } = await sharp(await readFile(join(folder, name))).metadata();
  return { format, width, height };
}

/** Resolves once images of a running job have their names below the artifact root. */
async function untilPublished(folder: string): Promise<void> {
  const isEnough = async () => {
    const names = await readdir(join(folder, 'data/artifacts'), { recursive: true }).catch(
      () => [],
    );
    return names.filter((name) => name.endsWith('.png')).length > 0;
  };
  while (!(await isEnough())) await delay(1);
}

// Each `npx` takes a second on a busy machine.
describe('the recipes', { timeout: 60_000 }, () => {
  it('are those that are run here', () => {
    expect([...recipes.keys()]).toEqual([
      'Set up',
      'Tools for an agent',
      CURL,
      OPENAI,
      'Priorities and a pause',
      'Jobs that a crash interrupted',
      'A token with an allowance',
    ]);
  });

  it('configure an agent, by a process and by HTTP', async () => {
    const { folder, env, jobs } = bridge;
    for (const { text } of blocksOf('Tools for an agent', 'json', 'json')) {
      const filled = text.replace(/\$\{(\w+)\}/g, (_, name: keyof typeof env) => env[name]);
      const { command, args, url, headers, ...server } =
        JSON.parse(filled).mcpServers['image-bridge'];
      const client = new Client({ name: 'recipes', version: '1' });
      await client.connect(
        url === undefined
          ? new StdioClientTransport({
              command,
              args,
              env: { ...userEnvironment(folder, server.env) },
              cwd: folder,
              stderr: 'ignore',
            })
          : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
      );
      const { tools } = await client.listTools();
      const made = await client.callTool({
        name: 'generate_image',
        arguments: { prompt: 'A fox' },
      });
      await client.close();

      expect(tools.map(({ name }) => name)).toContain('edit_image');
      expect(made.isError).toBeFalsy();
    }
    const { items } = (await jobs.get('/v1/jobs?status=succeeded&search=fox')).json;
    expect(items).toHaveLength(2);
  });

  it('get an image that is made in time', async () => {
    const { env, jobs } = bridge;

    const viaCurl = await run(CURL, 'sh', env);
    const viaOpenai = await run(OPENAI, 'js', env);

    for (const { folder } of [viaCurl, viaOpenai]) {
      const facts = { format: 'png', width: 1024, height: 1024 };
      expect(await sizeOf(folder, 'lighthouse.png')).toEqual(facts);
    }
    expect(await readFile(join(viaCurl.folder, 'head.txt'), 'utf8')).toMatch(/^HTTP\/1.1 200 /);
    const { items } = (await jobs.get('/v1/jobs?status=succeeded&search=lighthouse')).json;
    expect(items).toHaveLength(2);
  });

  it('get an image that takes longer than the client waits', async () => {
    const { env, jobs } = await setUp({ IMAGE_BRIDGE__PROVIDERS__SANDBOX__LATENCY_MS: '11000' });

    const [viaCurl, viaOpenai] = await Promise.all([run(CURL, 'sh', env), run(OPENAI, 'js', env)]);

    for (const { folder } of [viaCurl, viaOpenai]) {
      const facts = { format: 'png', width: 1024, height: 1024 };
      expect(await sizeOf(folder, 'lighthouse.png')).toEqual(facts);
    }
    expect(await readFile(join(viaCurl.folder, 'head.txt'), 'utf8')).toMatch(/^HTTP\/1.1 202 /);
    expect((await jobs.get('/v1/jobs?status=succeeded')).json.items).toHaveLength(2);
  });

  it('start the jobs of a paused queue by their priorities', async () => {
    const { env, jobs } = bridge;
    const authorization = `Bearer ${env.IMAGE_BRIDGE_TOKEN}`;
    const reader = await openEvents(`${env.IMAGE_BRIDGE_URL}/v1/jobs/events`, { authorization });

    const { stdout } = await run('Priorities and a pause', 'sh', env);

    const ended = () =>
      reader
        .events()
        .flatMap(({ data: { job } }) => (job.status === 'succeeded' ? [job.priority ?? 0] : []));
    await expect.poll(ended).toEqual([10, 0, -10]);
    reader.disconnect();
    expect(stdout).toContain('paused: true\nqueued: 3\nrunning: 0\n');
    expect((await jobs.get('/v1/queue')).json).toMatchObject({ paused: false, queued: 0 });
  });

  it('retry an interrupted job once, for the images that it had not finished', async () => {
    const first = await setUp();
    const n = 40;
    const body = { prompt: 'a boat', parameters: { n, size: '256x256' } };
    const { json: job } = await first.jobs.post(body);
    await untilPublished(first.folder);
    const { env, jobs } = await first.restartAfterKill();

    await run('Jobs that a crash interrupted', 'sh', env);
    await run('Jobs that a crash interrupted', 'sh', env);

    const { json: interrupted } = await jobs.get(`/v1/jobs/${job.id}`);
    const { items } = (await jobs.get('/v1/jobs')).json;
    expect(items).toHaveLength(2);
    const retry = await jobs.ended(items[0].id);
    expect(retry).toMatchObject({ status: 'succeeded', retry_of: job.id });
    const finished = interrupted.partial_result.data.length;
    expect(finished).toBeGreaterThan(0);
    expect(finished + retry.result.data.length).toBe(n);
  });

  it('hold a guest to its allowance', async () => {
    const { folder, env } = bridge;

    const { stdout } = await run('A token with an allowance', 'sh', env, folder);

    expect(await readdir(join(folder, 'images'))).toHaveLength(2);
    expect(stdout).toContain('"reason":"allowance"');
    expect(stdout).toContain('2 of 2');
  });
});
