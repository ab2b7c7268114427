import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Tools } from './bench.ts';
import { residentMb } from './resident.ts';
import { inMs, median, withRange } from './statistics.ts';

const DIST = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(DIST, 'bundle/main.js');
const STARTS = 3;
const SETTLE_MS = 500;
// As the compiler writes them: one statement, at the beginning of a line.
const STATIC_IMPORT = /^(?:import|export)\s(?:[\w\s$,{}*]*\sfrom\s)?['"]([^'"]+)['"];$/gm;

/** From `spawn` to the line that says where it listens, against Node that imports the same packages and says so. */
export const startUp: Bench = {
  name: 'start-up',
  async run({ rounds, folder }) {
    const imports = packagesOf(['local-runtime/main.js', 'local-runtime/commands/quickstart.js'])
      .map((name) => `import ${JSON.stringify(name)};`)
      .join('');
    const bare = ['--input-type=module', '-e', `${imports}console.log('listens on nothing')`];
    const ours: number[] = [];
    const theirs: number[] = [];
    const resident: number[] = [];
    for (let round = 0; round < rounds * STARTS; round += 1) {
      const bridge = await startBridge(folder);
      ours.push(bridge.ms);
      resident.push(await idleMemory(bridge.child, round < rounds));
      await end(bridge.child);
      const imported = await untilItListens(bare, DIST);
      theirs.push(imported.ms);
      await end(imported.child);
    }
    return [
      {
        what: 'start to ready, empty state',
        ours: inMs(median(ours)),
        against: 'Node importing the same packages',
        theirs: inMs(median(theirs)),
        ratio: withRange(ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN))),
        ...{ cpuRatio: '–', budget: '≤ 1.5', loop: '–' },
      },
      {
        what: 'resident memory, idle',
        ours: `${median(resident.filter(Number.isFinite)).toFixed(0)} MB`,
        ...{ against: '–', theirs: '–', ratio: '–', cpuRatio: '–' },
        ...{ budget: '< 120 MB', loop: '–' },
      },
    ];
  },
};

async function startBridge(folder: Tools['folder']) {
  const cwd = await mkdtemp(join(folder, 'start-'));
  const started = await untilItListens(
    [PROGRAM, 'quickstart', '--set', 'server.bind=127.0.0.1:0'],
    cwd,
  );
  const answer = await fetch(`${started.address}/health/ready`);
  if (answer.status !== 200) throw new Error('it says that it listens, and is not ready');
  return started;
}

/** Starts Node and resolves with the milliseconds until it says that it listens. */
async function untilItListens(argv: readonly string[], cwd: string) {
  const startMs = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const address = /listens on (\S+)/.exec(output)?.[1];
    if (address !== undefined) return { child, address, ms: performance.now() - startMs };
  }
  throw new Error('it ended before it listened');
}

async function idleMemory(child: ChildProcess, isAsked: boolean): Promise<number> {
  if (!isAsked || child.pid === undefined) return Number.NaN;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return residentMb(child.pid);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The packages that these compiled files import before anything runs, directly or through each other. */
function packagesOf(files: readonly string[]): readonly string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) {
      if (specifier.startsWith('.')) visit(join(file, '..', specifier));
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  };
  for (const file of files) visit(join(DIST, file));
  return [...packages];
}
