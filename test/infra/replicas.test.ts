import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../lib/config/load-config.ts';
import { ROOT } from '../conformance/sources.ts';
import { isInstalled, runTool } from '../support/outside-tools.ts';

const FOLDER = `${ROOT}infra/container`;
const BALANCER = `${FOLDER}/haproxy.cfg`;
const DEPLOYMENT = `${ROOT}infra/kubernetes/image-bridge.yaml`;

const hasHaproxy = await isInstalled('haproxy', ['-v']);
const hasKubernetes = await isInstalled('kubernetes-validate', ['--version']);

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly image: string;
          readonly env: readonly { readonly name: string; readonly value: string }[];
        }[];
      };
    };
  };
}

const balancer = readFileSync(BALANCER, 'utf8');
const { services }: { services: Readonly<Record<string, unknown>> } = parse(
  readFileSync(`${FOLDER}/compose.scaled.yaml`, 'utf8'),
  { merge: true },
);
// The file is ours, and kubernetes-validate checks its schema.
const deployment = parseAllDocuments(readFileSync(DEPLOYMENT, 'utf8'))[0]?.toJS() as Deployment;
const MAX_IMAGE_SECS = 1800;

describe('the balancer', () => {
  it.runIf(hasHaproxy)('is accepted by HAProxy', async () => {
    const { code, output } = await runTool('haproxy', ['-c', '-f', BALANCER]);

    // Only the containers know the names of the replicas.
    const alerts = output.split('\n').filter((line) => /ALERT|WARNING/.test(line));
    expect(code).toBe(0);
    expect(alerts.filter((line) => !line.includes('could not resolve address'))).toEqual([]);
  });

  it('sends requests to the replicas of the compose file', () => {
    const servers = [...balancer.matchAll(/^ {2}server (\w+) (\S+)$/gm)].map(([, name, at]) => [
      name,
      at,
    ]);
    const replicas = ['one', 'two'].map((name) => [name, `${name}:8787`]);

    expect(servers).toEqual([...replicas, ...replicas]);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['one', 'two']));
  });

  it('repeats only requests that were not sent', () => {
    expect(balancer.match(/^ *retry-on .*$/gm)).toEqual(['  retry-on conn-failure']);
  });

  it('waits longer than an image takes', () => {
    const minutes = [...balancer.matchAll(/timeout (?:client|server) (\d+)m$/gm)].map(([, it]) =>
      Number(it),
    );

    expect(minutes).toHaveLength(2);
    expect(Math.min(...minutes) * 60).toBeGreaterThan(MAX_IMAGE_SECS);
  });
});

describe('the Deployment for Kubernetes', () => {
  const { replicas, template } = deployment.spec;
  const [container] = template.spec.containers;

  it.runIf(hasKubernetes)('has no field that Kubernetes does not know', async () => {
    const { code, output } = await runTool('kubernetes-validate', ['--strict', DEPLOYMENT]);

    expect({ code, output }).toMatchObject({ code: 0 });
  });

  it('runs two replicas of this release', () => {
    const { version }: { version: string } = JSON.parse(
      readFileSync(`${ROOT}package.json`, 'utf8'),
    );

    expect([replicas, container?.image]).toEqual([2, `image-bridge:${version}`]);
  });

  it('has a valid configuration, and gives a replica longer to stop than its own grace', async () => {
    const env = Object.fromEntries(container?.env.map(({ name, value }) => [name, value]) ?? []);
    const { IMAGE_BRIDGE_CONFIG: _, ...settings } = env;

    const loaded = await loadConfig({
      env: settings,
      cwd: ROOT,
      configFile: `${FOLDER}/image-bridge.toml`,
    });

    expect(loaded).toMatchObject({ ok: true, warnings: [] });
    const graceMs = loaded.ok ? loaded.config.runtime.shutdown_grace_ms : Number.NaN;
    expect(graceMs / 1000).toBeGreaterThan(MAX_IMAGE_SECS);
    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(graceMs / 1000);
  });
});
