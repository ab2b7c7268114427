import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../lib/config/load-config.ts';
import { ALLOCATOR, YOUNG_GENERATION } from '../../local-runtime/server/memory-settings.ts';
import { ROOT } from '../conformance/sources.ts';
import { isInstalled, runTool } from '../support/outside-tools.ts';

const FOLDER = `${ROOT}infra/container`;
const FILES = [
  'compose.yaml',
  'compose.package.yaml',
  'compose.handoff.yaml',
  'compose.scaled.yaml',
] as const;

const hasHadolint = await isInstalled('hadolint', ['--version']);
const hasDclint = await isInstalled('dclint', ['--version']);
// Not every machine of CI has it.
const hasCompose = (await runTool('docker', ['compose', 'version'])).code === 0;

interface Volume {
  readonly type: string;
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
}

interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly cap_add?: readonly string[];
  readonly privileged?: boolean;
  readonly security_opt: readonly string[];
  readonly pids_limit: number;
  readonly mem_limit: string;
  readonly tmpfs?: readonly string[];
  readonly stop_grace_period: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly Volume[];
}

const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8');
const { version }: { version: string } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));

function servicesOf(file: string): Readonly<Record<string, ComposeService>> {
  // The files are ours, and the schema of compose is held by its own command line.
  return (parse(read(file), { merge: true }) as { services: Record<string, ComposeService> })
    .services;
}

const SERVICES = FILES.flatMap((file) =>
  Object.entries(servicesOf(file)).map(([name, service]) => ({ file, name, service })),
);
const isOurs = ({ image }: Pick<ComposeService, 'image'>) =>
  /^(\$\{IMAGE_BRIDGE_IMAGE|image-bridge:)/.test(image);
const BRIDGES = SERVICES.filter(({ service }) => service.command?.[0] === 'serve');

/** Seconds of `60s` or `32m`. */
function seconds(period: string): number {
  const [, count, unit] = /^(\d+)([sm])$/.exec(period) ?? [];
  return Number(count) * (unit === 'm' ? 60 : 1);
}

/** The configuration of a container, from its file and its environment. */
async function configOf({ environment = {} }: ComposeService) {
  const env = Object.entries(environment).filter(([name]) => name.startsWith('IMAGE_BRIDGE__'));
  return loadConfig({
    env: Object.fromEntries(env),
    cwd: FOLDER,
    configFile: 'image-bridge.toml',
  });
}

describe('the Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  it.runIf(hasHadolint)('has nothing that hadolint objects to', async () => {
    expect(await runTool('hadolint', [`${FOLDER}/Dockerfile`])).toEqual({ code: 0, output: '' });
  });

  it('runs the program under an init, as user 10001, with its own health check', () => {
    expect(last).toContain('USER 10001:10001');
    expect(last).toContain('ENTRYPOINT ["/usr/bin/tini", "--", "image-bridge"]');
    expect(last.find((line) => line.startsWith('HEALTHCHECK'))).toContain(
      'CMD ["image-bridge", "health", "--live"]',
    );
  });

  it('links the command to the program of the package', () => {
    expect(last.join('\n')).toContain('/app/dist/bundle/main.js /usr/local/bin/image-bridge');
  });

  it('brings no package manager of Node and no compiler into the image', () => {
    expect(last.join('\n')).not.toMatch(/\b(npm|npx|corepack|gcc|g\+\+|make|python3?)\b(?! ci)/);
    expect(last.filter((line) => line.startsWith('COPY'))).toEqual([
      'COPY --from=build /usr/local/bin/node /usr/local/bin/node',
      'COPY --from=package /app /app',
      'COPY infra/container/image-bridge.toml /etc/image-bridge/image-bridge.toml',
    ]);
  });

  it('sets what serve would set, so that serve need not start itself again', () => {
    const text = last.join('\n');
    const variables = { ...ALLOCATOR, NODE_OPTIONS: YOUNG_GENERATION };
    const set = Object.keys(variables).map((name) => [
      name,
      new RegExp(`${name}=(\\S+)`).exec(text)?.[1],
    ]);

    expect(Object.fromEntries(set)).toEqual(variables);
  });

  it('builds with the Node that develops the program', () => {
    const manifest: { devDependencies: { node: string } } = JSON.parse(
      readFileSync(`${ROOT}package.json`, 'utf8'),
    );

    expect(lines.join('\n')).toContain(
      `ARG NODE_IMAGE=node:${manifest.devDependencies.node.replace('^', '')}-`,
    );
  });
});

describe.each(FILES)('%s', (file) => {
  it.runIf(hasDclint)('is valid by the schema of compose', async () => {
    // A checkout builds the image under the name that it has elsewhere.
    const argv = [`${FOLDER}/${file}`, '--quiet', '--disable-rule', 'no-build-and-image'];

    const { code, output } = await runTool('dclint', argv);

    expect({ code, output: output.trim() }).toEqual({ code: 0, output: '' });
  });

  it.runIf(hasCompose)('is accepted by compose', async () => {
    const variables = [
      'IMAGE_BRIDGE_TOKEN',
      'OPENAI_API_KEY',
      'POSTGRES_PASSWORD',
      'S3_SECRET_KEY',
    ].map((name) => `${name}=a-value-for-the-check`);
    const argv = [
      ...variables,
      'docker',
      'compose',
      '--file',
      `${FOLDER}/${file}`,
      '--profile',
      '*',
    ];

    expect(await runTool('env', [...argv, 'config', '--quiet'])).toEqual({ code: 0, output: '' });
  });

  it('pins this release', () => {
    const images = Object.values(servicesOf(file))
      .filter(isOurs)
      .map(({ image }) => image);

    expect(
      images.filter((image) => !/[:-]([\d.]+)\}?$/.exec(image)?.[1]?.endsWith(version)),
    ).toEqual([]);
  });
});

describe.each(SERVICES)('$name of $file', ({ service }) => {
  it('can write only to its volumes and a bounded tmpfs, without any privilege', () => {
    expect(service).toMatchObject({
      user: isOurs(service) ? '10001:10001' : expect.stringMatching(/^\d+:\d+$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: 256,
      mem_limit: '2g',
    });
    expect(service.cap_add ?? service.privileged).toBeUndefined();
    expect(
      (service.tmpfs ?? []).every((mount) => /:size=\d+m,.*noexec,nosuid,nodev/.test(mount)),
    ).toBe(true);
  });

  it('publishes its ports on loopback alone', () => {
    expect((service.ports ?? []).filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

describe.each(BRIDGES)('the bridge $name of $file', ({ file, service }) => {
  it('has a configuration that is valid and without warnings', async () => {
    const loaded = await configOf(service);

    expect(loaded).toMatchObject({ ok: true, warnings: [] });
  });

  it('may write where its configuration keeps state, artifacts and the login, and nowhere else', async () => {
    const loaded = await configOf(service);
    const writable = service.volumes
      .filter(({ read_only }) => !read_only)
      .map(({ target }) => target);

    const folders = loaded.ok && [
      loaded.config.providers.agent_responses.home,
      loaded.config.state.directory,
      loaded.config.artifacts.root,
    ];
    expect(writable).toEqual(file === 'compose.scaled.yaml' ? [] : folders);
  });

  it('is given longer to stop than its own grace', async () => {
    const loaded = await configOf(service);
    const graceMs = loaded.ok ? loaded.config.runtime.shutdown_grace_ms : Number.NaN;

    expect(seconds(service.stop_grace_period) * 1000).toBeGreaterThan(graceMs);
  });
});

describe('the slots of compose.handoff.yaml', () => {
  it('take one lock on the volume that they share, and start only by name', async () => {
    const { blue, green } = servicesOf('compose.handoff.yaml');
    const config = blue && (await configOf(blue));

    expect(config?.ok && config.config.server.activation_lock).toBe(
      '/var/lib/image-bridge/state/activation.lock',
    );
    expect(green?.environment).toEqual(blue?.environment);
    expect([blue?.profiles, green?.profiles]).toEqual([['slots'], ['slots']]);
  });

  it('have a gateway without token, login and storage', () => {
    const { gateway } = servicesOf('compose.handoff.yaml');

    expect(Object.keys(gateway?.environment ?? {})).toEqual(['IMAGE_BRIDGE_URL']);
    expect(gateway?.volumes.map(({ target, read_only }) => [target, read_only])).toEqual([
      ['/coordination', true],
    ]);
  });
});
