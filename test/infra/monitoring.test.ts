import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { ROOT } from '../conformance/sources.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled, runTool } from '../support/outside-tools.ts';
import { cleanUp, freshFolder, launchProgram, startBridge } from '../support/start-bridge.ts';

const FOLDER = `${ROOT}infra/monitoring`;
const hasPrometheus = await isInstalled('promtool', ['--version']);

const board: {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
} = JSON.parse(readFileSync(`${FOLDER}/board.json`, 'utf8'));
const QUERIES = board.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

describe.runIf(hasPrometheus)('the alerts', () => {
  it('are rules without an error', async () => {
    const { code, output } = await runTool('promtool', ['check', 'rules', `${FOLDER}/alerts.yaml`]);

    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  it('fire for what they are named after, and not for a bridge that is well', async () => {
    const { code, output } = await runTool('promtool', [
      'test',
      'rules',
      `${ROOT}test/infra/alerts.test.yaml`,
    ]);

    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('SUCCESS') });
  });

  it('say what happened and what to do', () => {
    const text = readFileSync(`${FOLDER}/alerts.yaml`, 'utf8');
    const count = (word: string) => text.split(`${word}:`).length - 1;

    expect([count(' summary'), count(' action'), count(' severity')]).toEqual(
      Array(3).fill(count('alert')),
    );
  });
});

describe.runIf(hasPrometheus)('a real scrape', () => {
  const children: ChildProcess[] = [];
  let bridge: string;
  let gateway: string;
  let prometheus: string;

  beforeAll(async () => {
    const cwd = await freshFolder();
    bridge = (await startBridge({ set: ['server.metrics.enabled=true'] })).address;
    gateway = await startGateway(cwd);
    prometheus = await startPrometheus(cwd);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await cleanUp();
  });

  async function startGateway(cwd: string): Promise<string> {
    await writeFile(join(cwd, 'target'), 'blue\n');
    const metrics = `127.0.0.1:${await freePort()}`;
    const slots = ['--blue', bridge, '--green', 'http://127.0.0.1:9'];
    const argv = ['gateway', '--bind', '127.0.0.1:0', '--coordination', 'target', ...slots];
    const { child, output } = launchProgram([...argv, '--metrics-bind', metrics], cwd);
    children.push(child);
    // In a hook there is no expect.poll.
    await vi.waitFor(() => expect(output.stdout).toContain('listens on'), { timeout: 30_000 });
    const address = /listens on (\S+)/.exec(output.stdout)?.[1] ?? '';
    await fetch(`${address}/v1/providers`);
    return metrics;
  }

  async function startPrometheus(cwd: string): Promise<string> {
    const job = (name: string, target: string) => ({
      job_name: name,
      static_configs: [{ targets: [target] }],
    });
    const config = {
      global: { scrape_interval: '1s' },
      rule_files: [`${FOLDER}/alerts.yaml`],
      scrape_configs: [
        job('image-bridge', bridge.replace('http://', '')),
        job('image-bridge-gateway', gateway),
      ],
    };
    await writeFile(join(cwd, 'prometheus.yaml'), stringify(config));
    const listen = `127.0.0.1:${await freePort()}`;
    const argv = ['--config.file=prometheus.yaml', '--storage.tsdb.path=tsdb'];
    children.push(
      spawn('prometheus', [...argv, `--web.listen-address=${listen}`], { cwd, stdio: 'ignore' }),
    );
    const isReady = async () => expect((await fetch(`http://${listen}/-/ready`)).status).toBe(200);
    await vi.waitFor(isReady, { timeout: 30_000 });
    return `http://${listen}`;
  }

  async function query(expr: string): Promise<readonly unknown[]> {
    const promql = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
    const reply = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(promql)}`);
    const { data }: { data?: { result: readonly unknown[] } } = JSON.parse(await reply.text());
    return data?.result ?? [];
  }

  it.each(['bridge', 'gateway'])('of the %s is clean for promtool', async (which) => {
    const url = which === 'bridge' ? `${bridge}/metrics` : `http://${gateway}/metrics`;
    const file = join(await freshFolder(), 'scrape');
    await writeFile(file, await (await fetch(url)).text());

    expect(await runTool('sh', ['-c', `promtool check metrics < ${file}`])).toEqual({
      code: 0,
      output: '',
    });
  });

  it('gives every query of the board data', { timeout: 60_000 }, async () => {
    // A failed task is the one series that only a fault makes.
    const queries = QUERIES.filter(({ expr }) => !expr.includes('task_failures'));
    // Twice: a rate needs a change after the first sample.
    const generate = () =>
      fetch(`${bridge}/v1/images`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          prompt: 'a kite',
          parameters: { size: '64x64' },
          output: { response_format: 'artifact' },
        }),
      }).then((reply) => reply.text());
    await generate();
    await expect
      .poll(() => query('image_bridge_requests_total{code="ok"}'), { timeout: 20_000 })
      .not.toEqual([]);
    const { data }: { data: readonly { id: string }[] } = JSON.parse(await generate());
    await fetch(`${bridge}/v1/artifacts/${data[0]?.id}`);

    const empty = async () => {
      const found = await Promise.all(queries.map(({ expr }) => query(expr)));
      return queries.filter((_, index) => found[index]?.length === 0);
    };

    await expect.poll(empty, { timeout: 30_000, interval: 500 }).toEqual([]);
  });
});
