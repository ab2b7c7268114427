import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The oldest and the newest supported version of the agent. */
export const AGENT_VERSIONS = ['0.144.0', '0.169.0'] as const;

// One folder per user, so that no user can read the installation of another.
const CACHE = join(tmpdir(), `image-bridge-agents-${process.getuid?.() ?? 'all'}`);
const INSTALL_TIMEOUT_MS = 300_000;

const IS_CI = process.env['CI'] === 'true';

/**
 * Installs the native binary of this version from the npm registry, once for each user of this machine and outside the project.
 * If that fails, it resolves with undefined and prints the reason to standard error. In CI it throws instead.
 */
export async function installAgent(version: string): Promise<string | undefined> {
  const folder = join(CACHE, version);
  try {
    return (await findBinary(folder)) ?? (await install(version, folder));
  } catch (error) {
    const message = `@openai/codex ${version} could not be installed`;
    if (IS_CI) throw new Error(message, { cause: error });
    process.stderr.write(`${message}: the tests of the real agent are skipped. ${error}\n`);
    return undefined;
  }
}

async function install(version: string, folder: string): Promise<string> {
  await mkdir(dirname(folder), { recursive: true });
  // Other processes may install the same version at the same time, and any of them may be killed.
  const own = await mkdtemp(`${folder}-`);
  const args = ['install', '--prefix', own, '--ignore-scripts', '--no-audit', '--no-fund'];
  // Without a network, npm would wait a minute for the network to return.
  if (!IS_CI) args.push('--fetch-retries=0');
  try {
    const command = [...args, `@openai/codex@${version}`];
    await promisify(execFile)('npm', command, { cwd: own, timeout: INSTALL_TIMEOUT_MS });
    // This fails if another process was faster.
    await rename(own, folder).catch(() => {});
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  const binary = await findBinary(folder);
  if (binary === undefined) throw new Error('the package has no binary for this machine');
  return binary;
}

/**
 * The npm package is a script around the package of the platform. The binary is started directly, because a kill must reach
 * the agent.
 */
async function findBinary(folder: string): Promise<string | undefined> {
  const scope = join(folder, 'node_modules/@openai');
  const vendor = join(scope, `codex-${process.platform}-${process.arch}`, 'vendor');
  for (const triple of await readdir(vendor).catch(() => [])) {
    const binary = join(vendor, triple, 'bin/codex');
    const isThere = await access(binary, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return binary;
  }
  return undefined;
}
