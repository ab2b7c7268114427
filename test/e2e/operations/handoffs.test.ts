import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { createSeeded } from '../../support/seeded.ts';
import { cleanUp, freshFolder, launchProgram, PROGRAM } from '../../support/start-bridge.ts';

const HANDOFFS = Number(process.env['HANDOFFS'] ?? 2);
const DRAIN_MS = 60_000;
const READINESS_MS = 20_000;
/** The time that the handoffs of a test may take by their own limits. */
const TIMEOUT_MS = 60_000 + HANDOFFS * (DRAIN_MS + READINESS_MS);

type Slot = 'blue' | 'green';

/** The step at which a slot fails. `start`: only the start fails. `configuration`: a check of the configuration fails too. */
type Fault = 'start' | 'configuration' | undefined;

interface Deployment {
  readonly folder: string;
  readonly url: string;
  /** Runs a handoff to its end. */
  handOff(): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Starts a handoff. The caller ends it. */
  startHandoff(): ReturnType<typeof launchProgram>;
  /** Makes the next start of a slot fail, or its configuration invalid, or neither. */
  breakNext(slot: Slot, fault: Fault): Promise<void>;
  log(slot: Slot): Promise<string>;
  target(): Promise<string>;
}

const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});
afterAll(cleanUp);

/** Starts a gateway and two slots that share their state, as processes. Blue serves. */
async function deploy(driver: 'process' | 'compose'): Promise<Deployment> {
  const folder = await freshFolder();
  const [gatewayPort, blue, green] = [await freePort(), await freePort(), await freePort()];
  const configure = (slot: Slot, port: number, fault?: Fault) =>
    writeFile(join(folder, `${slot}.toml`), configuration(port, fault));
  await configure('blue', blue);
  await configure('green', green);
  const command = (slot: Slot) => `${process.execPath} ${PROGRAM} serve --config ${slot}.toml`;
  const shared = [
    ...['--coordination', 'target', '--blue', `http://127.0.0.1:${blue}`],
    ...['--green', `http://127.0.0.1:${green}`],
  ];
  const gateway = launchProgram(
    ['gateway', '--bind', `127.0.0.1:${gatewayPort}`, ...shared, '--probe-ms', '50'],
    folder,
  );
  stops.push(() => {
    gateway.child.kill('SIGKILL');
    return gateway.ended;
  });
  await expect.poll(() => gateway.output.stdout).toMatch(/listens on/);
  const url = `http://127.0.0.1:${gatewayPort}`;
  const processes = ['--directory', 'run', '--blue-command', command('blue')].concat(
    ...['--green-command', command('green')],
  );
  const bin = await writeDocker(folder, { blue: command('blue'), green: command('green') });
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  const startHandoff = (...more: readonly string[]) =>
    launchProgram(
      [
        ...['handoff', ...shared, '--gateway', url, '--drain-ms', String(DRAIN_MS)],
        ...['--readiness-ms', String(READINESS_MS)],
        ...(driver === 'process' ? processes : ['--compose', 'compose.yaml']),
        ...more,
      ],
      folder,
      env,
    );
  const logOf = (slot: Slot) => join(folder, 'run', `${slot}.log`);
  const deployment: Deployment = {
    folder,
    url,
    startHandoff,
    handOff: () => startHandoff().ended,
    breakNext: (slot, fault) => configure(slot, slot === 'blue' ? blue : green, fault),
    async log(slot) {
      const read = (path: string) => readFile(path, 'utf8').catch(() => '');
      return (await read(`${logOf(slot)}.1`)) + (await read(logOf(slot)));
    },
    target: async () => (await readFile(join(folder, 'target'), 'utf8')).trim(),
  };
  stops.push(() => endSlots(folder));
  const first = await startHandoff('--to', 'blue').ended;
  expect(first).toMatchObject({ code: 0, stderr: '' });
  return deployment;
}

function configuration(port: number, fault: Fault): string {
  return `
default_provider = "sandbox"
[providers.sandbox]
enabled = true
latency_ms = 150
[runtime]
shutdown_grace_ms = 60000
[server]
bind = "127.0.0.1:${port}"
activation_lock = "state/activation.lock"
${fault === 'configuration' ? 'nonsense = true' : ''}
[state]
directory = "${fault === 'start' ? 'target/state' : 'state'}"
[artifacts]
root = "artifacts"
`;
}

/** A `docker` whose services are processes. It supports exactly the commands that a handoff uses. */
async function writeDocker(
  folder: string,
  commands: Readonly<Record<Slot, string>>,
): Promise<string> {
  const driver = new URL(
    '../../../dist/local-runtime/gateway/handoff/process-driver.js',
    import.meta.url,
  );
  const clock = new URL('../../../dist/lib/platform/clock.js', import.meta.url);
  const script = `#!${process.execPath}
(async () => {
  const { spawnSync } = await import('node:child_process');
  const { createProcessDriver } = await import('${driver.href}');
  const { systemClock: clock, stayAwake } = await import('${clock.href}');
  const awake = stayAwake();
  const slots = createProcessDriver({ directory: 'run', commands: ${JSON.stringify(commands)}, clock });
  const [, , compose, flag, file, verb, ...rest] = process.argv;
  if (compose !== 'compose' || flag !== '--file' || file !== 'compose.yaml') process.exit(64);
  const service = rest.at(-1);
  if (verb === 'up') await slots.start(service);
  else if (verb === 'stop') await slots.stop(service, Number(rest[1]) * 1000);
  else if (verb === 'config') {
    const command = ['serve', '--config', service + '.toml'];
    console.log(JSON.stringify({ services: { [service]: { command } } }));
  } else if (verb === 'run') {
    const argv = rest.slice(rest.indexOf('config'));
    process.exitCode = spawnSync(process.execPath, [${JSON.stringify(PROGRAM)}, ...argv], { stdio: 'inherit' }).status;
  } else if (verb === 'ps') console.log((await slots.isRunning(service)) ? 'a1b2' : '');
  else process.exit(64);
  awake();
})().catch((error) => { console.error(String(error)); process.exit(1); });
`;
  await writeFile(join(folder, 'docker'), script);
  await chmod(join(folder, 'docker'), 0o755);
  return folder;
}

async function endSlots(folder: string): Promise<void> {
  for (const slot of ['blue', 'green']) {
    const text = await readFile(join(folder, 'run', `${slot}.pid`), 'utf8').catch(() => '');
    const pid = /^\d+/.exec(text)?.[0];
    // Process 0 would be this process and its whole group.
    if (pid === undefined) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has already ended.
    }
  }
}

/**
 * Starts clients that send one request after the other: synchronous requests, streams and jobs. A client waits for the end of its job,
 * because a queue that grows during the load would take minutes to run on a slow machine.
 */
function startLoad(url: string) {
  const lost: string[] = [];
  const ends = new Set<string>();
  let isOver = false;
  let sent = 0;
  const body = JSON.stringify({
    prompt: 'a harbour',
    parameters: { size: '256x256' },
    output: { response_format: 'metadata' },
  });
  const post = (path: string, id: string) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': id },
      body,
    });
  const kinds = [
    async (id: string) => {
      const reply = await post('/v1/images', id);
      const text = await reply.text();
      if (reply.status !== 200) lost.push(`${id}: ${reply.status} ${text}`);
    },
    async (id: string) => {
      const reply = await post('/v1/images/stream', id);
      const text = await reply.text();
      if (!text.includes('event: completed')) lost.push(`${id}: ${reply.status} ${text}`);
    },
    async (id: string) => {
      const reply = await post('/v1/jobs', id);
      const text = await reply.text();
      if (reply.status === 202) ends.add(await endedStatus(url, JSON.parse(text).id));
      else lost.push(`${id}: ${reply.status} ${text}`);
    },
  ];
  const client = async (index: number) => {
    while (!isOver) {
      sent += 1;
      const id = `load-${sent}`;
      await kinds[index % 3]?.(id).catch((error) => lost.push(`${id}: ${error.cause ?? error}`));
    }
  };
  const clients = Array.from({ length: 6 }, (_, index) => client(index));
  return {
    lost,
    /** The statuses with which jobs have ended. */
    ends,
    sent: () => sent,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** Returns the number of starts of each request by a provider, according to the logs of both slots. */
function starts(log: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n')) {
    if (!line.includes('"image_operation_started"')) continue;
    const { request_id: id } = JSON.parse(line);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Waits for the end of a job, which a handoff may delay. */
async function endedStatus(url: string, job: string): Promise<string> {
  for (;;) {
    const reply = await fetch(`${url}/v1/jobs/${job}?wait_ms=1000`);
    const { status } = (await reply.json()) as { status: string };
    if (status !== 'queued' && status !== 'running') return status;
  }
}

describe('image-bridge handoff', () => {
  it.each(['process', 'compose'] as const)(
    `loses no request and repeats none in ${HANDOFFS} handoffs of %s slots under load`,
    async (driver) => {
      const deployment = await deploy(driver);
      const load = startLoad(deployment.url);
      let active: Slot = 'blue';

      for (let done = 0; done < HANDOFFS; done += 1) {
        const before = load.sent();
        await expect.poll(load.sent).toBeGreaterThan(before + 12);
        const candidate: Slot = active === 'blue' ? 'green' : 'blue';
        // Every fourth handoff fails.
        const isBroken = done % 4 === 1;
        await deployment.breakNext(candidate, isBroken ? 'start' : undefined);
        const { code, stderr } = await deployment.handOff();
        expect([code, stderr]).toEqual([isBroken ? 1 : 0, '']);
        await deployment.breakNext(candidate, undefined);
        if (!isBroken) active = candidate;
        expect(await deployment.target()).toBe(active);
      }
      await load.stop();

      const logs = async () => (await deployment.log('blue')) + (await deployment.log('green'));
      expect(load.lost).toEqual([]);
      expect([...load.ends]).toEqual(['succeeded']);
      await expect.poll(async () => starts(await logs()).size).toBe(load.sent());
      const log = await logs();
      const counts = starts(log);
      expect([...counts].filter(([, count]) => count !== 1)).toEqual([]);
      // A slot that is started while the other slot still runs waits for the lock and reports that.
      expect(log).not.toContain('is held by');
    },
    TIMEOUT_MS,
  );

  it(
    'continues after it was killed, and loses nothing',
    async () => {
      const deployment = await deploy('process');
      const load = startLoad(deployment.url);
      const random = createSeeded(3);

      for (let done = 0; done < HANDOFFS; done += 1) {
        const { child, output, ended } = deployment.startHandoff();
        const lines = 1 + random.next(3);
        await expect
          .poll(() => output.stdout.split('\n').length, { interval: 1 })
          .toBeGreaterThan(lines);
        child.kill('SIGKILL');
        await ended;
        expect(await deployment.handOff()).toMatchObject({ code: 0, stderr: '' });
      }
      await load.stop();

      const log = (await deployment.log('blue')) + (await deployment.log('green'));
      expect(load.lost).toEqual([]);
      expect([...starts(log).values()].filter((count) => count !== 1)).toEqual([]);
      expect(log).not.toContain('is held by');
    },
    TIMEOUT_MS,
  );

  it.each(['process', 'compose'] as const)(
    'holds no request for a candidate of the %s driver with an invalid configuration',
    async (driver) => {
      const deployment = await deploy(driver);
      await deployment.breakNext('green', 'configuration');

      const { code, stdout, stderr } = await deployment.handOff();

      expect([code, await deployment.target()]).toEqual([1, 'blue']);
      expect(stderr).toBe(
        'image-bridge: the configuration of green is invalid; nothing was changed\n',
      );
      expect(stdout).toMatch(/^checking the configuration of green\n.*server\.nonsense/s);
      expect(stdout).not.toContain('holding');
    },
  );

  it('names the log of a candidate that does not start', async () => {
    const deployment = await deploy('process');
    await deployment.breakNext('green', 'start');

    const { code, stdout } = await deployment.handOff();

    expect([code, await deployment.target()]).toEqual([1, 'blue']);
    const [, path = ''] = /^the log of green: (.+)$/m.exec(stdout) ?? [];
    await expect.poll(() => readFile(path, 'utf8')).toContain('state.directory');
  });

  it('finishes a started handoff after a hangup and an interrupt', async () => {
    const deployment = await deploy('process');
    const { child, output, ended } = deployment.startHandoff();
    await expect.poll(() => output.stdout, { interval: 1 }).toContain('holding');

    child.kill('SIGHUP');
    child.kill('SIGINT');

    expect(await ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^image-bridge: requests are held, so the handoff continues; /),
    });
    expect(await deployment.target()).toBe('green');
  });

  it('reports held requests when it is interrupted twice, and continues in a later run', async () => {
    const deployment = await deploy('process');
    const leaving = new AbortController();
    // The slot ends only after this request, which its client finally abandons.
    const hanging = fetch(`${deployment.url}/v1/images`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a kite', routing: { model: 'sandbox-hang' } }),
      signal: leaving.signal,
    }).catch(() => undefined);
    const inFlight = async () => {
      const state = await (await fetch(`${deployment.url}/health/gateway`)).json();
      return (state as { in_flight: number }).in_flight;
    };
    await expect.poll(inFlight).toBe(1);
    const { child, output, ended } = deployment.startHandoff();
    await expect.poll(() => output.stdout).toContain('stopping blue');

    child.kill('SIGINT');
    await expect.poll(() => output.stderr).toContain('the handoff continues');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    const during = await deployment.target();
    leaving.abort();
    await hanging;
    const later = await deployment.handOff();

    expect([code, during]).toEqual([4, 'hold']);
    expect(stderr).toContain('requests are held: run the same command again');
    expect([later.code, await deployment.target()]).toEqual([0, 'green']);
  });

  it('runs once at a time', async () => {
    const deployment = await deploy('process');
    const first = deployment.startHandoff();
    await expect.poll(() => first.output.stdout).toMatch(/holding/);

    const second = await deployment.handOff();

    expect(second).toMatchObject({
      code: 3,
      stderr: 'image-bridge: another handoff of this deployment is running\n',
    });
    expect((await first.ended).code).toBe(0);
  });

  it('reports that the folder of the coordination file is not writable', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'file'), '');
    const url = 'http://127.0.0.1:1';
    const given = ['--coordination', 'file/run/target', '--gateway', url, '--blue', url];

    const ended = await launchProgram(
      ['handoff', ...given, '--green', 'http://127.0.0.1:2', '--compose', 'x'],
      folder,
    ).ended;

    expect(ended).toMatchObject({
      code: 1,
      stderr: `image-bridge: --coordination: the folder ${folder}/file/run cannot be used: a part of the path is a file\n`,
    });
  });

  it.each([
    ['no driver', []],
    ['two drivers', ['--compose', 'x', '--directory', 'y']],
    ['a process driver without commands', ['--directory', 'y']],
    ['a gateway that is no address', ['--compose', 'x', '--gateway', 'nowhere']],
  ])('rejects %s, and changes nothing', async (_what, argv) => {
    const folder = await freshFolder();
    const url = 'http://127.0.0.1:1';
    const slots = ['--blue', url, '--green', 'http://127.0.0.1:2'];
    const given = ['--coordination', 'target', '--gateway', url, ...slots];

    const ended = await launchProgram(['handoff', ...given, ...argv], folder).ended;

    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toMatch(/^image-bridge: [^\n]+\n$/m);
    expect(await readdir(folder)).toEqual([]);
  });
});
