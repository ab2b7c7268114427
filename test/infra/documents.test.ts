import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../conformance/sources.ts';
import { cleanUp, type StartedBridge, startBridge } from '../support/start-bridge.ts';
import { type Block, readBlocks, startBlock, userFolder } from './recipe-page.ts';

const PAGES = [
  'README.md',
  ...[
    'start',
    'jobs',
    'tokens',
    'agents',
    'operate',
    'upgrade',
    'scale',
    'provenance',
    'performance',
  ].map((name) => `docs/${name}.md`),
  'docs/transparency.md',
];

/** The reasons why blocks are not run here, by their first lines. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci && npm start': 'the fresh machine of the continuous integration runs it',
  'npm ci && npm test': 'the fresh machine of the continuous integration runs it',
  'export OPENAI_API_KEY=sk-…': 'it needs an account',
  [String.raw`printf 'default_provider = "local"\nproviders.openai_images.local = {dialect = "localai", base_url = "http://127.0.0.1:8080/v1", models = ["flux"], image_model = "flux"}\n' > image-bridge.toml`]:
    'it needs a model server',
  'codex login': 'it needs an account',
  'image-bridge gateway --bind 127.0.0.1:8787 --coordination target --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789':
    'it serves for ever; the tests of handoffs start gateways',
  'image-bridge handoff --coordination target --gateway http://127.0.0.1:8787 --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789 --compose compose.yaml':
    'it needs a container engine',
  "image-bridge handoff --coordination target --gateway http://127.0.0.1:8787 --blue http://127.0.0.1:8788 --green http://127.0.0.1:8789 --directory run --blue-command 'image-bridge serve --config blue.toml' --green-command 'image-bridge serve --config green.toml'":
    'it needs a running gateway and two slots, which the tests of handoffs start',
  'npm ci && npm run build && npm pack --ignore-scripts': 'it needs an account of AWS',
  'npm run bench                                  # everything': 'it takes a quarter of an hour',
  'npm run bench -- --compare main                               # everything that both builds have':
    'it takes a quarter of an hour',
  'npm run bench -- --only postgres-jobs --only postgres-replicas --only postgres-million --only replicas --only state-move':
    'it writes databases of up to a million jobs',
  "import { createServer } from 'node:http';": 'the tests of webhooks run it',
  'export IMAGE_BRIDGE_WEBHOOK_SECRET=whsec_$(openssl rand -base64 32)':
    'it needs the receiver of that page, which the tests of webhooks start',
};

/** First lines of blocks that need a container engine, systemd or root. */
const ON_A_SERVER =
  /^(docker|install|systemctl|runuser|useradd|mkdir -p \/|IMAGE_BRIDGE_VERSION=|cd \/srv|sudo|\. \/srv)/;

const blocks = (
  await Promise.all(
    PAGES.map(async (page) => (await readBlocks(page)).map((block) => ({ page, ...block }))),
  )
).flat();
const commands = blocks.filter(({ language }) => language === 'sh' || language === 'js');
const isNotRun = ({ text }: Block) => {
  const [first = ''] = text.split('\n');
  return first in NOT_RUN || ON_A_SERVER.test(first) || isBackupPage(text);
};

/** The blocks of the backup page, of which the first is run below without the engine. */
function isBackupPage(text: string): boolean {
  return text.startsWith('state=/var/lib/image-bridge/state\n');
}

let bridge: StartedBridge;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  bridge = await startBridge();
  folder = await userFolder();
  for (const name of ['ai', '@ai-sdk']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  // The pages name the usual port, and the bridge of this test has another one.
  const to = `127.0.0.1:${bridge.port}`;
  const connect = ['127.0.0.1', 'localhost'].map((host) => `connect-to = "${host}:8787:${to}"\n`);
  await writeFile(join(folder, '.curlrc'), connect.join(''));
  env = {
    IMAGE_BRIDGE_URL: bridge.address,
    IMAGE_BRIDGE__SERVER__TOKENS_FILE: 'tokens.toml',
    PATH: [
      join(folder, 'node_modules/.bin'),
      dirname(process.execPath),
      process.env['PATH'] ?? '',
    ].join(':'),
  };
});
afterAll(cleanUp);

async function post({ address }: StartedBridge, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(address + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  await reply.text();
}

/** The block with what differs on this machine: the port in JavaScript, and a token that is only hinted at. */
function here({ language, text }: Block): Block {
  const lines = text.split('\n').filter((line) => language === 'js' || !line.includes('…'));
  const own = lines.join('\n');
  const address = `127.0.0.1:${bridge.port}`;
  return {
    heading: '',
    language,
    text: language === 'js' ? own.replaceAll('127.0.0.1:8787', address) : own,
  };
}

describe('the commands of the documents', { timeout: 60_000 }, () => {
  it('are those that are run here, or have a reason', () => {
    const firsts = new Set(commands.map(({ text }) => text.split('\n')[0] ?? ''));

    expect(Object.keys(NOT_RUN).filter((first) => !firsts.has(first))).toEqual([]);
  });

  for (const block of commands.filter((one) => !isNotRun(one))) {
    it(`${block.page}: ${block.text.split('\n')[0]?.slice(0, 80)}`, async () => {
      const started = startBlock(here(block), folder, env);
      if (block.text.includes('curl -N ')) {
        // The last line shows changes for as long as there are any.
        let event = '';
        void started.printed(/^event: (\w+)/m).then((found) => {
          event = found;
        });
        const change = () =>
          post(bridge, '/v1/jobs', { prompt: 'x', parameters: { size: '64x64' } });
        await expect
          .poll(() => change().then(() => event), { timeout: 50_000, interval: 500 })
          .not.toBe('');
        await started.end('SIGTERM');
        return;
      }

      const { code, stdout, stderr } = await started.ended;

      expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).not.toContain('"error"');
    });
  }

  it('leave the images that they name', async () => {
    for (const name of ['image.png', 'lighthouse.png', 'winter.webp']) {
      expect((await sharp(await readFile(join(folder, name))).metadata()).width).toBeGreaterThan(0);
    }
  });

  it('back up a bridge that has had no job with an image', async () => {
    const fresh = await startBridge();
    const backup = commands.find(({ text }) => isBackupPage(text) && text.includes('tar -c'));
    await post(fresh, '/v1/images', { prompt: 'x', output: { response_format: 'artifact' } });
    const text = (backup?.text ?? '')
      .replaceAll(/docker compose exec (-T )?bridge /g, '')
      .replaceAll('/var/lib/image-bridge', join(fresh.cwd, 'data'));

    const ended = await startBlock({ heading: '', language: 'sh', text }, fresh.cwd, env).ended;

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(fresh.cwd, 'backup.tar'))).toBe(true);
  });
});
