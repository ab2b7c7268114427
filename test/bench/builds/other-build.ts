import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** The checkout of this build. This file runs compiled, from below `dist`. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BENCH = 'dist/test/bench/main.js';

/** A build of the program with its own benches. */
export interface Build {
  readonly name: string;
  /** Path of the compiled program of its benches. */
  readonly bench: string;
}

export const THIS_BUILD: Build = { name: 'this build', bench: join(ROOT, BENCH) };

/** Resolves with the full id of a commit of this checkout, or with undefined if there is no such commit. */
export async function findCommit(name: string): Promise<string | undefined> {
  const argv = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { code, output } = await runProgram('git', argv, ROOT);
  return code === 0 ? output.trim() : undefined;
}

/**
 * Builds a commit in a folder of its own, from an export that changes neither the checkout nor its list of worktrees. The
 * installed packages of this checkout are used if the commit locks the same packages. Rejects if a step fails.
 */
export async function buildCommit(commit: string, folder: string): Promise<Build> {
  const source = join(folder, 'source');
  const archive = join(folder, 'source.tar');
  await mkdir(source);
  await complete('git', ['archive', '--format=tar', `--output=${archive}`, commit], ROOT);
  await complete('tar', ['-xf', archive], source);
  if ((await lockedPackages(ROOT)) === (await lockedPackages(source))) {
    await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  } else {
    // The benches run with the Node of this process, and no other package needs its install script.
    await complete('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], source);
  }
  await complete('npm', ['run', '--silent', 'build'], source);
  return { name: commit.slice(0, 7), bench: join(source, BENCH) };
}

/** Runs one bench of a build with one round. Resolves with the table that it prints. */
export async function runBench({ bench }: Build, name: string): Promise<string> {
  const argv = [bench, '--only', name, '--rounds', '1'];
  return (await runProgram(process.execPath, argv, dirname(bench))).output;
}

/** Returns the version and the content of each package in a lockfile as one text. */
async function lockedPackages(folder: string): Promise<string> {
  const { packages }: { packages: Record<string, { version?: string; integrity?: string }> } =
    JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { version, integrity }]) => `${path} ${version} ${integrity}`)
    .join('\n');
}

async function complete(program: string, argv: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await runProgram(program, argv, cwd);
  if (code !== 0) throw new Error(`${program} ${argv.join(' ')} failed: ${output}`);
}

/** Runs a program to its end. Its standard error goes to that of this process. */
async function runProgram(program: string, argv: readonly string[], cwd: string) {
  const child = spawn(program, argv, {
    cwd,
    // The scripts of a build call `node`, which must be the Node that runs the benches.
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: Number(code ?? 1), output };
}
